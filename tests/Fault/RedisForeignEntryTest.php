<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Core\Finding;
use Headroom\Core\Position;
use Headroom\Spool\Exceptions\UnsupportedFormat;
use Headroom\Spool\Monitoring\Verify\Findings;
use Headroom\Spool\RedisStore\Stream\Keys;
use Headroom\Spool\Store\CorruptDeadLetter;
use Headroom\Spool\Store\DeadLetter;
use Headroom\Spool\Store\MissingRange;
use Headroom\Tests\Fault\Support\Act;
use Headroom\Tests\Fault\Support\RedisTestCase;
use Headroom\Tests\Support\Sentence;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;

/**
 * Another program writes into a bucket's stream: its entry stops no delivery, and is kept as a dead letter.
 */
final class RedisForeignEntryTest extends RedisTestCase
{
    /** @return array<string, array{list<string>, string}> */
    public static function entries(): array
    {
        return [
            'fields of its own' => [['hello', 'world'], '{"hello":"world"}'],
            'bytes' => [['hello', "\xff\x00"], '{"hello":{"b":"/wA="}}'],
            'half of ours' => [['v', '1', 'n', '1', 't', '1', 's', '1'], '{"v":"1","n":"1","t":"1","s":"1"}'],
            'no number' => [
                ['v', '1', 'n', 'one', 't', '1', 's', '1', 'p', '{}'], '{"v":"1","n":"one","t":"1","s":"1","p":"{}"}',
            ],
            'other events than it says' => [
                ['v', '1', 'n', '3', 't', '1', 's', '9', 'p', '{"id":"x"}'],
                '{"v":"1","n":"3","t":"1","s":"9","p":"{\"id\":\"x\"}"}',
            ],
            'a total that is not valid' => [
                ['v', '1', 'n', '1', 't', '1', 's', '99999999999999999999', 'p', '{"id":"x"}'],
                '{"v":"1","n":"1","t":"1","s":"99999999999999999999","p":"{\"id\":\"x\"}"}',
            ],
            'version 0' => [
                ['v', '0', 'n', '1', 't', '1', 's', '2', 'p', '{"id":"x"}'],
                '{"v":"0","n":"1","t":"1","s":"2","p":"{\"id\":\"x\"}"}',
            ],
        ];
    }

    /** @param list<string> $fields */
    #[Test, Group('day-2')]
    #[DataProvider('entries')]
    public function it_becomes_a_dead_letter_in_the_middle_and_at_the_end(array $fields, string $line): void
    {
        $this->world->append(['a']);
        $this->redis->ask('XADD', (new Keys('events'))->log, '*', ...$fields);
        $this->world->append(['b']);
        $this->redis->ask('XADD', (new Keys('events'))->log, '*', ...$fields);
        $report = $this->flush();

        self::assertCount(2, $report->losses);
        $this->assertArrived(['a', 'b']);
        self::assertSame(
            [$line, $line],
            array_map(
                static fn (DeadLetter|CorruptDeadLetter $letter): string
                    => $letter instanceof DeadLetter ? $letter->line : '',
                $this->letters(),
            ),
        );
        self::assertSame([4, 2, 2, 0, 0], $this->numbers());
        self::assertSame(0, $this->redis->ask('XLEN', (new Keys('events'))->log));
        self::assertSame([], $this->flush()->losses, 'It is told once.');
        $this->world->append(['c']);
        self::assertSame([], $this->flush()->losses, 'Nothing is missed that was there.');
        $this->assertArrived(['a', 'b', 'c']);
        self::assertSame([5, 3, 2, 0, 0], $this->numbers());
    }

    #[Test]
    public function alone_in_an_unused_stream_it_is_told_and_kept_as_well(): void
    {
        $this->redis->ask('XADD', (new Keys('events'))->log, '1-1', 'hello', 'world');
        $this->world->append(['a']);
        $this->flush();

        $this->assertArrived(['a']);
        self::assertSame([2, 1, 1, 0, 0], $this->numbers());
    }

    #[Test]
    public function more_of_them_than_are_read_at_once_keep_their_order_and_lose_nothing(): void
    {
        for ($i = 0; $i < 40; $i++) {
            $this->redis->ask('XADD', (new Keys('events'))->log, '*', 'i', $i);
            $this->world->append(["e{$i}"]);
        }

        $this->world = $this->world->withBatch(7);
        self::assertSame(40, $this->flush()->delivered);
        self::assertSame(array_map(static fn (int $i): string => "e{$i}", range(0, 39)), $this->world->rows());
        self::assertSame([80, 40, 40, 0, 0], $this->numbers());
    }

    #[Test]
    public function its_letter_can_be_retried_where_it_is_a_row_and_forgotten(): void
    {
        $this->world->append(['a']);
        $this->redis->ask('XADD', (new Keys('events'))->log, '*', 'id', 'b', 'body', str_repeat('b', 10));
        $this->redis->ask('XADD', (new Keys('events'))->log, '*', 'x', 'y');
        $this->flush();
        [$row, $other] = $this->letters();
        self::assertInstanceOf(DeadLetter::class, $row);
        self::assertMatchesRegularExpression('/\b\d+-\d\b/', $row->reason);

        self::assertSame(1, $this->world->letters()->retry([$row->position]));
        self::assertSame(1, $this->flush()->delivered);
        self::assertSame(2, $this->world->database()->table('events')->count());
        self::assertSame(1, $this->world->letters()->forget([$other->position]));
        self::assertSame([3, 2, 1, 0, 0], $this->numbers());
        self::assertSame(
            [],
            array_map(
                static fn (DeadLetter|CorruptDeadLetter $letter): Position => $letter->position,
                $this->letters(),
            ),
        );
    }

    #[Test]
    public function a_look_shows_it_and_changes_nothing(): void
    {
        $this->world->append(['a']);
        $this->redis->ask('XADD', (new Keys('events'))->log, '*', 'hello', 'world');
        $problems = [];
        $view = $this->world->runtime()->bucketTools('events');
        $view->verifier()
            ->verify('events', $view->ledger(), new Findings(static function (Finding $problem) use (&$problems): void {
                $problems[] = $problem->message;
            }, static function (): void {}));
        $peeked = iterator_to_array($view->peek()->events($view->ledger()->progress(...)), false);

        $strange = ucfirst(MissingRange::foreignEntry(Position::start(), Sentence::ANY)->message);
        Sentence::assertIn($strange, implode(' ', $problems));
        Sentence::assertIn($strange, $peeked[1]->error);
        self::assertSame(2, $this->redis->ask('XLEN', (new Keys('events'))->log));
        self::assertSame([1, 0, 0, 1, 0], $this->numbers());
    }

    #[Test]
    public function one_of_a_newer_version_stops_the_bucket_and_says_so(): void
    {
        $this->redis->ask('XADD', (new Keys('events'))->log, '*', 'v', '2', 'n', '1', 't', '1', 's', '1', 'p', '{}');
        $this->world->append(['a']);

        Sentence::assertIn(
            UnsupportedFormat::ofEntry('events', Sentence::ANY, 2),
            $this->world->flush()->failure?->getMessage(),
        );
        self::assertSame(2, $this->redis->ask('XLEN', (new Keys('events'))->log));
    }

    #[Test, Group('day-3')]
    #[TestWith(['18446744073709551615-18446744073709551615'])]
    #[TestWith(['18446744073709551614-1'])]
    #[TestWith(['9007199254740993-0'])]
    #[TestWith(['4000000000000-9999999999999999'])]
    public function an_id_of_no_clock_sends_events_to_disk_until_a_flush(string $id): void
    {
        $this->world->append(['a']);
        $this->redis->ask('XADD', (new Keys('events'))->log, $id, 'hello', 'world');
        $this->world->append(['b', 'c']);
        self::assertSame(2, $this->world->status()->storage->onDisk);
        $this->world->flush();
        $this->world->append(['d']);
        self::assertSame([], $this->flush()->losses);

        $this->assertArrived(['a', 'b', 'c', 'd']);
        self::assertSame([5, 4, 1, 0, 0], $this->numbers());
    }

    #[Test]
    public function an_entry_in_our_format_under_such_an_id_is_foreign(): void
    {
        $this->redis->ask(
            'XADD',
            (new Keys('events'))->log,
            '9223372036854775809-1',
            'v',
            '1',
            'n',
            '1',
            't',
            '1',
            's',
            '1',
            'p',
            '{"id":"x","body":"x"}',
        );
        $this->flush();
        $this->world->append(['a']);
        $this->flush();

        $this->assertArrived(['a']);
    }

    #[Test]
    public function a_flusher_that_is_killed_after_it_was_set_aside_leaves_one_letter(): void
    {
        $this->world->append(['a']);
        $this->redis->ask('XADD', (new Keys('events'))->log, '*', 'hello', 'world');
        $this->child('flush', points: ['redis.set-aside' => Act::Kill])->awaitKilled();
        $this->redis->ask('DEL', (new Keys('events'))->owner);
        $this->flush();

        $this->assertArrived(['a']);
        self::assertSame([2, 1, 1, 0, 0], $this->numbers());
        self::assertCount(1, $this->letters());
    }

    /** @param list<string> $ids */
    private function assertArrived(array $ids): void
    {
        $rows = $this->world->rows();
        sort($rows);
        self::assertSame($ids, $rows);
    }

    /** @return list<DeadLetter|CorruptDeadLetter> */
    private function letters(): array
    {
        return iterator_to_array($this->world->letters()->letters(), false);
    }

    /** @return list<int> */
    private function numbers(): array
    {
        $status = $this->world->status();

        return [
            $status->events->accepted,
            $status->events->delivered,
            $status->events->dead,
            $status->events->pending,
            $status->events->missing,
        ];
    }
}
