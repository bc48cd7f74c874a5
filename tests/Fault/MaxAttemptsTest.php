<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Spool\Delivery\MaxAttemptsExceeded;
use Headroom\Spool\Exceptions\SinkRejectsEverything;
use Headroom\Support\InvalidConfig;
use Headroom\Tests\Fault\Support\FlowTestCase;
use Headroom\Tests\Support\Sample;
use Headroom\Tests\Support\Sentence;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use RuntimeException;

/**
 * An event whose handling fails three times in a row becomes a dead letter.
 */
final class MaxAttemptsTest extends FlowTestCase
{
    protected function setUp(): void
    {
        parent::setUp();
        $this->world = $this->world->withOptions(['tries' => 3]);
    }

    #[Test]
    public function it_dies_with_the_last_reason_and_the_next_one_is_delivered(): void
    {
        $this->append(['a', 'fails 1', 'b'], 'each');

        foreach (range(1, 2) as $attempt) {
            self::assertSame('fails 1 on purpose', $this->flushed('each')['failure']);
            $this->assertDead([], 'each');
        }

        $report = $this->flushed('each');
        self::assertSame([1, 1, null], [$report['delivered'], $report['dead'], $report['failure']]);
        self::assertSame(['a', 'b'], $this->world->lines());
        self::assertSame(
            MaxAttemptsExceeded::times(3, new RuntimeException('fails 1 on purpose'))->getMessage(),
            $this->letters('each')[0]->reason,
        );
        $this->assertCounts(accepted: 3, delivered: 2, dead: 1, bucket: 'each');
        self::assertNull($this->world->status('each')->flush->trouble);
    }

    #[Test, Group('day-1')]
    public function tries_are_counted_for_the_event_and_not_for_the_bucket(): void
    {
        $this->append(['fails 1', 'fails 2', 'fails 3'], 'each');

        foreach (range(1, 2) as $attempt) {
            $this->flushed('each');
        }

        $this->repair('fails 1');

        foreach (range(1, 2) as $attempt) {
            self::assertSame('fails 2 on purpose', $this->flushed('each')['failure']);
        }

        $this->assertDead([], 'each');
        self::assertSame('fails 3 on purpose', $this->flushed('each')['failure']);
        $this->assertDead(['fails 2'], 'each');
    }

    #[Test]
    public function pauses_grow_over_events_that_die(): void
    {
        $this->append(['fails 1', 'fails 2'], 'each');

        foreach (range(1, 3) as $attempt) {
            self::assertNotNull($this->world->flush('each')->failure);
        }

        $this->assertDead(['fails 1'], 'each');
        self::assertSame(3, $this->trouble('each')?->attempts);
    }

    #[Test]
    public function a_refused_event_leaves_its_tries_to_no_other(): void
    {
        $this->append(['fails 1', 'fails 2'], 'each');

        foreach (range(1, 2) as $attempt) {
            $this->flushed('each');
        }

        $this->repair('refuses fails 1');

        foreach (range(1, 2) as $attempt) {
            self::assertSame('fails 2 on purpose', $this->flushed('each')['failure']);
        }

        $this->assertDead(['fails 1'], 'each');
        $this->flushed('each');
        $this->assertDead(['fails 1', 'fails 2'], 'each');
    }

    #[Test, Group('day-2')]
    public function a_sink_that_asks_for_time_costs_no_try(): void
    {
        $this->append(['later 60'], 'each');

        foreach (range(1, 5) as $attempt) {
            self::assertSame('Come again in 60 s.', $this->flushed('each')['failure']);
        }

        $this->assertDead([], 'each');
    }

    /** @return iterable<string, array{string}> */
    public static function everyPoint(): iterable
    {
        foreach (self::times(
            4,
            'sink.called',
            'state.saving',
            'state.saved',
            'letter.burying',
            'letter.buried',
        ) as $point) {
            yield $point => [$point];
        }
    }

    /** @return array<string, array{string}> */
    public static function sampledEveryPoint(): array
    {
        return Sample::of(self::everyPoint(), 5);
    }

    #[Test, Group('day-3')]
    #[DataProvider('sampledEveryPoint')]
    public function a_kill_anywhere_in_the_last_try_leaves_one_letter(string $point): void
    {
        $this->append(['fails 1', 'a'], 'each');

        foreach (range(1, 2) as $attempt) {
            $this->world->flush('each');
        }

        $this->flushedUntil($point, 'each');
        // A kill in mid-save may cost a try that was not noted.
        $this->world->flush('each');
        $this->world->flush('each');

        $this->assertDead(['fails 1'], 'each');
        self::assertSame(['a'], array_values(array_unique($this->world->lines())));
        $this->assertCounts(accepted: 2, delivered: 1, dead: 1, bucket: 'each');
    }

    #[Test]
    public function an_event_that_ends_each_process_dies_and_lets_others_pass(): void
    {
        $this->append(['kills', 'a'], 'each');

        foreach (range(1, 3) as $attempt) {
            self::assertTrue($this->flushedUntil('sink.called', 'each'));
            $this->assertDead([], 'each');
        }

        $report = $this->flushed('each');
        self::assertSame([1, 1, null], [$report['delivered'], $report['dead'], $report['failure']]);
        self::assertSame(MaxAttemptsExceeded::withoutReturn(3)->getMessage(), $this->letters('each')[0]->reason);
        $this->assertCounts(accepted: 2, delivered: 1, dead: 1, bucket: 'each');
    }

    #[Test, Group('day-2')]
    public function a_sink_that_fails_at_every_event_is_stopped_after_fifty(): void
    {
        $this->world = $this->world->withOptions(['tries' => 1]);
        $this->append(self::ids('fails ', 60), 'each');

        foreach (range(1, 3) as $attempt) {
            $failure = $this->flushed('each')['failure'];
            self::assertIsString($failure);
            Sentence::assertIn(SinkRejectsEverything::inARow('each', 50, Sentence::ANY, Sentence::ANY), $failure);
            $this->assertCounts(accepted: 60, delivered: 0, dead: 49, pending: 11, bucket: 'each');
        }

        $this->repair();
        $this->flushed('each');
        $this->assertCounts(accepted: 60, delivered: 11, dead: 49, bucket: 'each');
    }

    #[Test]
    public function a_sink_of_batches_cannot_count_them(): void
    {
        $this->append(['a'], 'lines');
        $failure = $this->world->flush('lines')->failure;

        self::assertInstanceOf(InvalidConfig::class, $failure);
        self::assertSame('spool.buckets.lines.tries', $failure->key);
    }
}
