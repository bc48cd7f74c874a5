<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Spool\Delivery\FlushOptions;
use Headroom\Spool\Recovery\ReplayFrom;
use Headroom\Tests\Fault\Support\Event;
use Headroom\Tests\Fault\Support\FlowTestCase;
use Headroom\Tests\Fault\Support\World;
use Headroom\Tests\Support\Sample;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestDox;
use PHPUnit\Framework\Attributes\TestWith;

/**
 * At most ten events in any sixty seconds, in any process and at any time. Only the test moves the clocks.
 */
final class RateLimitTest extends FlowTestCase
{
    private const EVENTS = 10;

    private const SECONDS = 60;

    protected function setUp(): void
    {
        parent::setUp();
        $this->world = $this->world->withOptions(['rate_limit' => ['max' => self::EVENTS, 'every' => self::SECONDS]]);
        $this->setClock(0);
    }

    /** @return array<int, array{string, int}> */
    public static function rates(): array
    {
        return Sample::of([
            ['each', 7],
            ['lines', 7],
            ['events', 7],
            ['lines', 1],
        ], 1);
    }

    #[Test, Group('day-3')]
    #[DataProvider('rates')]
    public function it_is_held_over_flushes_and_processes(string $bucket, int $step): void
    {
        $this->append(self::ids('event ', 35), $bucket);
        $sent = [];
        $second = 0;

        for (; array_sum($sent) < 35; $second += $step) {
            self::assertLessThan(5 * self::SECONDS, $second, 'It came to a standstill.');
            $this->setClock($second);
            // A process at the edges, for the rest is the same.
            $sent[$second] = $step > 1 || $second % 20 === 0
                ? $this->flushed($bucket)['delivered']
                : $this->world->flush($bucket)->delivered;
            $this->assertHeld($sent, $second);
        }

        self::assertSame(35, $this->world->status($bucket)->events->delivered);
        self::assertLessThanOrEqual(4 * self::SECONDS, $second);
    }

    #[Test]
    public function events_beyond_the_rate_stay_inside_their_frame(): void
    {
        $this->world->buffer()->bucket('lines')->addMany(array_map(Event::of(...), self::ids('event ', 25)));

        foreach ([0, 60, 120] as $second) {
            $this->setClock($second);
            $this->flushed('lines');
        }

        self::assertSame(self::ids('event ', 25), $this->world->lines());
        self::assertCount(3, $this->world->deliveries());
    }

    #[Test]
    public function it_ends_normally_and_says_when_it_goes_on(): void
    {
        $this->append(self::ids('event ', 11), 'lines');
        $report = $this->flushed('lines');

        self::assertSame([10, true, null], [$report['delivered'], $report['more'], $report['failure']]);
        self::assertSame((self::NOW + self::SECONDS) * 1_000_000, $report['goes on at']);
        self::assertNull($this->world->status('lines')->flush->trouble);
    }

    #[Test]
    public function with_nothing_left_there_is_nothing_to_wait_for(): void
    {
        $this->append(self::ids('event ', 10), 'lines');

        foreach ([10, 0] as $delivered) {
            $report = $this->flushed('lines');
            self::assertSame([$delivered, false, null], [$report['delivered'], $report['more'], $report['goes on at']]);
        }
    }

    #[Test]
    public function a_limit_of_the_flush_does_not_count_as_a_rate(): void
    {
        $this->append(self::ids('event ', 11), 'lines');
        $report = $this->world->flush('lines', new FlushOptions(events: 4, now: true));
        self::assertSame([4, true, null], [$report->delivered, $report->hasMore, $report->nextTokenAt]);

        $report = $this->world->flush('lines');
        self::assertSame([6, true], [$report->delivered, $report->hasMore]);
        self::assertNotNull($report->nextTokenAt);
    }

    /** @return iterable<string, array{string, string}> */
    public static function everyPoint(): iterable
    {
        foreach (['each' => 6, 'lines' => 2] as $bucket => $most) {
            foreach (self::times($most, 'sink.called', 'sink.returned', 'state.saving', 'state.saved') as $point) {
                yield "{$bucket} {$point}" => [$bucket, $point];
            }
        }

        foreach (self::times(2, 'ledger.advanced', 'delivery.committed', 'state.saving', 'state.saved') as $point) {
            yield "events {$point}" => ['events', $point];
        }
    }

    /** @return array<string, array{string, string}> */
    public static function sampledEveryPoint(): array
    {
        return Sample::of(self::everyPoint(), 8);
    }

    #[Test, Group('day-1')]
    #[TestDox('flusher killed when its rate limit is nearly used up')]
    #[DataProvider('sampledEveryPoint')]
    public function a_kill_gives_no_tokens_back(string $bucket, string $point): void
    {
        $this->append(self::ids('event ', 25), $bucket);
        $this->flushedUntil($point, $bucket);
        $this->setClock(1);
        $this->world->flush($bucket);
        $arrived = $bucket === 'events' ? $this->world->rows() : array_unique($this->world->lines());

        self::assertLessThanOrEqual(self::EVENTS, count($arrived));
        $this->setClock(2);
        self::assertSame(0, $this->world->flush($bucket)->delivered);

        foreach ([62, 124, 186] as $second) {
            $this->setClock($second);
            $this->world->flush($bucket);
        }

        $this->assertCounts(accepted: 25, delivered: 25, dead: 0, bucket: $bucket);
    }

    #[Test]
    public function a_range_that_was_begun_has_its_tokens(): void
    {
        $this->append(self::ids('event ', 25), 'lines');
        self::assertTrue($this->flushedUntil('sink.called', 'lines'));
        $this->setClock(1);

        self::assertSame(10, $this->flushed('lines')['delivered']);
        self::assertSame($this->world->deliveries()[0], $this->world->deliveries()[1]);
        $this->setClock(60);
        self::assertSame(0, $this->flushed('lines')['delivered'], 'It has been handed over at second 1 again.');
        $this->setClock(61);
        self::assertSame(10, $this->flushed('lines')['delivered']);
    }

    #[Test]
    public function a_database_that_is_down_uses_no_tokens_up(): void
    {
        $this->append(self::ids('event ', 10));
        $this->world->database()->statement('alter table events rename to elsewhere');

        foreach (range(1, 3) as $attempt) {
            self::assertNotNull($this->flushed('events')['failure']);
        }

        $this->world->database()->statement('alter table elsewhere rename to events');
        self::assertSame(10, $this->flushed('events')['delivered']);
    }

    #[Test, Group('day-2')]
    #[TestWith([86_400])]
    #[TestWith([-86_400])]
    public function a_clock_that_is_set_opens_no_gate_and_shuts_none(int $jump): void
    {
        $this->append(self::ids('event ', 20), 'each');
        self::assertSame(10, $this->flushed('each')['delivered']);

        foreach ([1 => 0, 59 => 0, 60 => 10] as $second => $delivered) {
            $this->setClock($second + $jump, $second);
            self::assertSame($delivered, $this->flushed('each')['delivered']);
        }
    }

    #[Test]
    public function after_a_boot_it_waits_for_its_time_at_most(): void
    {
        $this->append(self::ids('event ', 20), 'each');
        self::assertSame(10, $this->flushed('each')['delivered']);

        foreach ([5 => 0, 59 => 0, 60 => 10] as $sinceBoot => $delivered) {
            $this->setClock(1 + $sinceBoot, $sinceBoot - self::BOOT);
            self::assertSame($delivered, $this->flushed('each')['delivered']);
        }
    }

    #[Test]
    public function another_rate_holds_from_the_next_flush_on(): void
    {
        $this->append(self::ids('event ', 40), 'each');
        $this->flushed('each');
        $this->setClock(1);

        self::assertSame(5, $this->flushed('each', $this->rated(15, 60))['delivered']);
        self::assertSame(0, $this->flushed('each', $this->rated(3, 60))['delivered']);
        $this->setClock(3);
        self::assertSame(3, $this->flushed('each', $this->rated(3, 2))['delivered']);
        self::assertSame(22, $this->flushed('each', $this->world->withOptions([]))['delivered']);
    }

    #[Test]
    public function a_replay_gives_no_tokens_back(): void
    {
        $this->append(self::ids('event ', 10), 'lines');
        $this->flushed('lines');
        $this->world->replay(ReplayFrom::start(), again: true, bucket: 'lines');

        self::assertSame(0, $this->flushed('lines')['delivered']);
        $this->setClock(60);
        self::assertSame(10, $this->flushed('lines')['delivered']);
    }

    #[Test]
    public function letters_cost_a_token_each_since_they_were_handed_over(): void
    {
        $this->append([...self::ids('bad ', 4), ...self::ids('event ', 10)], 'each');
        $report = $this->flushed('each');

        self::assertSame([6, 4], [$report['delivered'], $report['dead']]);
    }

    private function rated(int $events, int $seconds): World
    {
        return $this->world->withOptions(['rate_limit' => ['max' => $events, 'every' => $seconds]]);
    }

    /** @param array<int, mixed> $sent by second */
    private function assertHeld(array $sent, int $now): void
    {
        $window = array_sum(array_filter(
            $sent,
            static fn (int $second): bool => $second > $now - self::SECONDS,
            ARRAY_FILTER_USE_KEY,
        ));

        self::assertLessThanOrEqual(self::EVENTS, $window, "In the sixty seconds up to {$now}.");
    }
}
