<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Spool\Delivery\FlushOptions;
use Headroom\Tests\Fault\Support\AddsForeignEntries;
use Headroom\Tests\Fault\Support\RedisTestCase;
use Headroom\Tests\Support\Sample;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestDox;

/**
 * Another client adds an entry with an id of its own: Redis counts on from there,
 * and neither Redis 8 nor Valkey 8 goes back.
 */
final class RedisIdsTest extends RedisTestCase
{
    use AddsForeignEntries;

    private const TEN_YEARS_MILLIS = 315_576_000_000;

    /** @return array<string, array{string}> */
    public static function idsOfNoClock(): array
    {
        return [
            'the greatest of all' => ['18446744073709551615-18446744073709551615'],
            'the last but one' => ['18446744073709551615-18446744073709551614'],
            'beyond an integer of PHP' => ['9223372036854775808-0'],
            'beyond what a script has exactly' => ['9007199254740993-0'],
            'microseconds instead of milliseconds' => ['1795295613379123-0'],
            'a sequence that is too long' => ['4000000000000-9999999999999999'],
        ];
    }

    /** @return array<string, array{string}> */
    public static function sampledIdsOfNoClock(): array
    {
        return Sample::of(self::idsOfNoClock(), 2);
    }

    #[Test]
    #[DataProvider('sampledIdsOfNoClock')]
    public function an_entry_that_was_removed_by_hand_is_not_noticed_where_no_event_waits(string $id): void
    {
        $this->addForeign($id);
        $this->redis->ask('XDEL', $this->keys->log, $id);
        $this->world->append(['a', 'b']);

        self::assertSame(0, $this->world->status()->storage->onDisk);
        $this->assertIdsAreOfToday(2);
        $this->flush();
        $this->assertDeliveredOnce(['a', 'b']);
    }

    #[Test]
    #[DataProvider('sampledIdsOfNoClock')]
    public function an_entry_that_was_removed_by_hand_needs_nothing_but_a_flush(string $id): void
    {
        $this->world->append(['a']);
        $this->addForeign($id);
        $this->redis->ask('XDEL', $this->keys->log, $id);
        $this->world->append(['b']);
        self::assertSame(1, $this->world->status()->storage->onDisk);
        self::assertStringContainsString('spool:flush', (string) $this->world->flush()->failure?->getMessage());
        $this->world->append(['c']);

        // The flush noted what it left, and brought it back with that: a new stream had begun by then.
        self::assertSame(2, $this->redis->ask('XLEN', $this->keys->log), 'Nothing but the flush was needed.');
        $this->assertIdsAreOfToday(2);
        $this->flush();
        $this->assertDeliveredOnce(['a', 'b', 'c']);
    }

    #[Test]
    public function they_may_come_in_numbers_and_again_and_again(): void
    {
        for ($round = 1; $round <= 3; $round++) {
            $this->world->append(["{$round}a"]);
            array_map($this->addForeign(...), [
                '9007199254740993-0',
                '9007199254740993-1',
                '18000000000000000000-0',
                '18446744073709551615-18446744073709551615',
            ]);
            $this->world->append(["{$round}b"]);
            $this->world->flush();
            $this->world->append(["{$round}c"]);
            self::assertSame([], $this->flush()->losses);
        }

        $this->assertArrived(['1a', '1b', '1c', '2a', '2b', '2c', '3a', '3b', '3c']);
        $status = $this->world->status();
        self::assertSame(
            [21, 9, 12, 0, 0],
            [
                $status->events->accepted,
                $status->events->delivered,
                $status->events->dead,
                $status->events->pending,
                $status->events->missing,
            ],
        );
    }

    /** Redis is asked for four at a time, and refuses a range from behind it. */
    #[Test]
    public function the_greatest_id_of_all_can_end_a_read(): void
    {
        $this->world->append(['a', 'b', 'c']);
        $this->addForeign('18446744073709551615-18446744073709551615');
        self::assertSame([3, null], [$this->world->status()->events->pending, $this->world->status()->error]);
        $view = $this->world->runtime()->bucketTools('events');
        self::assertCount(4, iterator_to_array($view->peek()->events($view->ledger()->progress(...)), false));
        self::assertSame(3, $this->flush()->delivered);

        self::assertSame(['a', 'b', 'c'], $this->world->rows());
        self::assertSame([0, 1], [$this->world->status()->events->pending, $this->world->status()->events->dead]);
    }

    #[Test]
    #[TestDox('Redis stream entry of another client, with an id that no clock produces')]
    public function until_all_that_waits_is_delivered_none_of_it_is_touched(): void
    {
        $this->world = $this->world->withBatch(2);
        $this->world->append(self::ids('a', 6));
        $this->addForeign('9007199254740993-0');
        $before = $this->redis->ask('HGET', $this->keys->meta, 'logged');
        $this->world->append(['b']);
        self::assertSame(
            [7, $before],
            [$this->redis->ask('XLEN', $this->keys->log), $this->redis->ask('HGET', $this->keys->meta, 'logged')],
            'What is refused leaves nothing.',
        );

        for ($left = 4; $left >= 2; $left -= 2) {
            $this->world->flush(limits: new FlushOptions(events: 2, now: true));
            $this->world->append(["c{$left}"]);
            self::assertSame($left, $this->waiting());
        }

        self::assertSame(3, $this->world->status()->storage->onDisk);
        $this->world->flush();
        $this->flush();
        self::assertSame([...self::ids('a', 6), 'b', 'c4', 'c2'], $this->world->rows());
        self::assertSame([0, 1], [$this->world->status()->events->pending, $this->world->status()->events->dead]);
    }

    #[Test]
    public function ids_of_the_near_future_are_counted_on_from_and_nothing_is_lost(): void
    {
        $foreign = (int) (microtime(true) * 1000) + self::TEN_YEARS_MILLIS;
        $this->world->append(['a']);
        $this->addForeign("{$foreign}-7");
        $this->world->append(['b']);
        self::assertSame([0, "{$foreign}-8"], [$this->world->status()->storage->onDisk, $this->lastId()]);
        self::assertLessThan(60.0, $this->world->status()->oldestSeconds);
        self::assertCount(1, $this->flush()->losses);
        $this->world->append(['c']);
        self::assertSame("{$foreign}-9", $this->lastId());
        $this->flush();

        $status = $this->world->status();
        self::assertSame(['a', 'b', 'c'], $this->world->rows());
        self::assertSame(
            [4, 3, 1, 0, 0],
            [
                $status->events->accepted,
                $status->events->delivered,
                $status->events->dead,
                $status->events->pending,
                $status->events->missing,
            ],
        );
    }

    /** Else each append without a reply would be in doubt until then. */
    #[Test]
    public function the_clock_and_not_the_ids_says_since_when_appends_are_known(): void
    {
        $this->addForeign(((int) (microtime(true) * 1000) + self::TEN_YEARS_MILLIS).'-0');
        $this->world->append(['a']);
        $this->redis->ask('HINCRBY', $this->keys->meta, 'tokens_at', -600_000);
        $this->world->append(['b']);
        $at = $this->redis->ask('HGET', $this->keys->meta, 'tokens_at');

        self::assertIsString($at);
        self::assertEqualsWithDelta(microtime(true) * 1000, (int) $at, 60_000);
    }

    #[Test]
    public function a_new_stream_goes_on_behind_all_that_was_delivered(): void
    {
        $future = (int) (microtime(true) * 1000) + self::TEN_YEARS_MILLIS;
        $this->addForeign("{$future}-7");
        $this->world->append(['a']);
        $this->flush();
        $this->addForeign('9007199254740993-0');
        $this->flush();
        $this->world->append(['b']);
        self::assertSame("{$future}-9", $this->lastId());
        $this->flush();
        $this->world->append(['c']);
        $this->flush();

        self::assertSame(['a', 'b', 'c'], $this->world->rows());
    }

    /** @return array<string, array{string}> */
    public static function idsAtTheEdge(): array
    {
        return [
            'the last milliseconds of 15 digits' => ['999999999999999-999999999999999'],
            'one before' => ['999999999999999-999999999999998'],
            'the last milliseconds of 14 digits' => ['99999999999999-99999999999999'],
            'one before that' => ['99999999999999-99999999999998'],
            'the last sequence of 15 digits' => ['4000000000000-999999999999998'],
            'of 14 digits' => ['4000000000000-99999999999998'],
            'two before' => ['4000000000000-99999999999997'],
        ];
    }

    /** @return array<string, array{string}> */
    public static function sampledIdsAtTheEdge(): array
    {
        return Sample::of(self::idsAtTheEdge(), 2);
    }

    /** New ids keep away from the greatest that a reader takes, so that there is always a next one. */
    #[Test]
    #[DataProvider('sampledIdsAtTheEdge')]
    public function at_the_edge_of_clock_ids_all_events_are_delivered_once(string $id): void
    {
        $this->addForeign($id);
        $ids = [];

        for ($round = 1; $round <= 4; $round++) {
            $new = self::ids("{$round}.", 5);
            $ids = [...$ids, ...$new];
            $this->world->append($new);
            $this->world->flush();
        }

        $this->flush();
        $this->assertArrived($ids);
        $status = $this->world->status();
        self::assertSame(
            [21, 20, 1, 0, 0],
            [
                $status->events->accepted,
                $status->events->delivered,
                $status->events->dead,
                $status->events->pending,
                $status->events->missing,
            ],
        );
        $this->world->append(self::ids('last', 3));
        self::assertSame(
            [3, 0],
            [$this->redis->ask('XLEN', $this->keys->log), $this->world->status()->storage->onDisk],
            'Redis takes events again.',
        );
    }

    #[Test]
    #[DataProvider('sampledIdsAtTheEdge')]
    public function at_the_edge_a_disk_is_drained_as_a_whole_or_not_at_all(string $id): void
    {
        $this->redis->ask('CONFIG', 'SET', 'maxmemory', '1');
        $this->world->append(self::ids('a', 5));
        $this->redis->ask('CONFIG', 'SET', 'maxmemory', '0');
        $this->addForeign($id);
        $this->world->flush();
        $this->flush();

        self::assertSame(self::ids('a', 5), $this->world->rows());
        self::assertSame([0, 1], [$this->world->status()->events->pending, $this->world->status()->events->dead]);
    }

    /** Events in the stream. */
    private function waiting(): int
    {
        return $this->world->status()->events->pending - $this->world->status()->storage->onDisk;
    }
}
