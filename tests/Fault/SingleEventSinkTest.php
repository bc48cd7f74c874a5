<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Spool\Delivery\FlushOptions;
use Headroom\Spool\Exceptions\ConfigMismatch;
use Headroom\Spool\Exceptions\SinkRejectsEverything;
use Headroom\Spool\Store\State\RetryState;
use Headroom\Spool\Worker\FailureLog;
use Headroom\Tests\Fault\Support\Act;
use Headroom\Tests\Fault\Support\Event;
use Headroom\Tests\Fault\Support\FlowTestCase;
use Headroom\Tests\Support\Sample;
use Headroom\Tests\Support\Sentence;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestDox;

/**
 * A sink that takes one event at a time: the cursor moves behind each.
 */
final class SingleEventSinkTest extends FlowTestCase
{
    #[Test]
    public function bury_passes_over_an_event_that_always_fails_and_loses_no_other(): void
    {
        $this->append(['a', 'fails x', 'b', 'fails y', 'c'], 'each');
        self::assertNotNull($this->world->flush('each')->failure);
        $limits = new FlushOptions(now: true, buryAll: true);

        self::assertNotNull($this->world->flush('each', $limits)->failure, 'One each time.');
        self::assertSame(['a', 'b'], $this->world->lines());
        self::assertNull($this->world->flush('each', $limits)->failure);
        self::assertSame(['a', 'b', 'c'], $this->world->lines());
        $this->assertDead(['fails x', 'fails y'], 'each');
        $this->assertCounts(accepted: 5, delivered: 3, dead: 2, bucket: 'each');
    }

    #[Test]
    public function a_batch_is_handed_over_event_by_event(): void
    {
        $this->append(self::ids('event ', 5), 'each');
        $this->flush('each');

        self::assertSame(self::ids('event ', 5), $this->world->lines());
        self::assertCount(5, array_unique($this->world->deliveries()));
        $this->assertAllSettled(self::ids('event ', 5), 'each');
    }

    /** @return iterable<string, array{string, list<string>}> */
    public static function everyPoint(): iterable
    {
        foreach ([['a', 'b', 'c', 'd'], ['a', 'bad 1', 'bad 2', 'b', 'bad 3']] as $ids) {
            foreach (self::times(
                6,
                'sink.called',
                'sink.returned',
                'state.saving',
                'state.saved',
                'letter.burying',
                'letter.buried',
            ) as $point) {
                yield implode(', ', $ids).": {$point}" => [$point, $ids];
            }
        }
    }

    /** @return array<string, array{string, list<string>}> */
    public static function sampledEveryPoint(): array
    {
        return Sample::of(self::everyPoint(), 10);
    }

    /** @param list<string> $ids */
    #[Test, Group('day-2')]
    #[TestDox('flusher killed while its sink takes events one by one')]
    #[DataProvider('sampledEveryPoint')]
    public function a_kill_repeats_at_most_the_event_that_was_under_way(string $point, array $ids): void
    {
        $this->append($ids, 'each');
        $this->flushedUntil($point, 'each');
        $this->flush('each');

        $this->assertAllSettled($ids, 'each');
        $goodOnes = count(array_filter($ids, static fn (string $id): bool => ! str_starts_with($id, 'bad')));
        self::assertLessThanOrEqual($goodOnes + 1, count($this->world->lines()));
    }

    #[Test]
    public function an_event_that_has_arrived_is_not_sent_again_after_a_kill(): void
    {
        $this->append(self::ids('event ', 5), 'each');
        self::assertTrue($this->flushedUntil('sink.called#4', 'each'));
        $this->assertCounts(accepted: 5, delivered: 3, dead: 0, pending: 2, bucket: 'each');
        $this->flushed('each');

        self::assertSame(self::ids('event ', 5), $this->world->lines());
        self::assertCount(6, $this->world->deliveries());
        self::assertSame($this->world->deliveries()[3], $this->world->deliveries()[4], 'Under the same id.');
    }

    #[Test]
    public function an_event_keeps_its_id_after_refusals_before_it(): void
    {
        $this->append(['bad 1', 'a', 'b'], 'each');
        self::assertTrue($this->flushedUntil('sink.returned', 'each'));
        $this->flushed('each');
        [, $a, $again] = $this->world->deliveries();

        self::assertSame(['a', 'a', 'b'], $this->world->lines());
        self::assertSame($a, $again);
        $this->assertAllSettled(['bad 1', 'a', 'b'], 'each');
    }

    #[Test]
    public function a_dead_event_is_not_handed_over_again_when_the_next_fails(): void
    {
        $this->append(['bad 1', 'fails 1', 'b'], 'each');

        foreach (range(1, 3) as $attempt) {
            self::assertSame('fails 1 on purpose', $this->flushed('each')['failure']);
        }

        self::assertCount(4, $this->world->deliveries());
        self::assertCount(2, array_unique($this->world->deliveries()), 'Each under the same id whenever it comes.');
        $this->assertDead(['bad 1'], 'each');
        self::assertSame(3, $this->trouble('each')?->attempts);
        $this->repair();
        $this->flushed('each');
        $this->assertAllSettled(['bad 1', 'fails 1', 'b'], 'each');
    }

    #[Test, Group('day-3')]
    public function an_event_that_always_fails_holds_back_those_behind_it(): void
    {
        $this->append(['a', 'fails 1', 'b'], 'each');

        for ($attempt = 1; $attempt <= RetryState::DOWN_AFTER + 1; $attempt++) {
            $this->flushed('each');
        }

        self::assertSame(['a'], $this->world->lines());
        self::assertTrue($this->trouble('each')?->isDown());
        $this->assertDead([], 'each');
    }

    #[Test, Group('day-1')]
    public function failures_are_counted_from_one_after_a_delivery(): void
    {
        $this->append(['fails 1', 'a', 'fails 2'], 'each');

        foreach (range(1, 4) as $attempt) {
            $this->flushed('each');
        }

        self::assertSame(4, $this->trouble('each')?->attempts);
        $this->repair('fails 1');
        $this->flushed('each');

        self::assertSame(['fails 1', 'a'], $this->world->lines());
        self::assertSame(1, $this->trouble('each')?->attempts);
    }

    #[Test]
    public function a_sink_that_takes_some_events_and_fails_is_logged_once_a_minute(): void
    {
        $this->append(['a', 'fails 1', 'fails 2', 'fails 3'], 'each');
        $this->setClock(0);

        foreach ([0 => '', 59 => 'fails 1', 60 => 'fails 2'] as $second => $repaired) {
            $this->setClock($second);
            $this->repair($repaired === '' ? 'a' : $repaired);
            // A process of its own, as each flush of a schedule is.
            $runtime = $this->world->runtime($this->world->clock());
            $report = $runtime->flusher()->flush('each', new FlushOptions(now: true));
            self::assertSame([1, 1], [$report->delivered, $report->retry?->attempts]);
            (new FailureLog($runtime))->note($report);
        }

        self::assertCount(2, $this->world->logged());
        self::assertMatchesRegularExpression("/^error: .*'each'.*: fails 1 on purpose$/", $this->world->logged()[0]);
        self::assertMatchesRegularExpression(
            "/^error: .*'each'.*: fails 3 on purpose\b.*\b2\b/",
            $this->world->logged()[1],
        );
    }

    #[Test]
    public function a_pause_stops_it_behind_the_event_at_hand_and_leaves_nothing_begun(): void
    {
        $this->append(self::ids('event ', 5), 'each');
        $child = $this->child('flush', ['each'], ['sink.called#2' => Act::Wait]);
        $child->awaitPoint('sink.called');
        $this->world->store()->pauses()->pause('each', $this->world->clock()->now());
        $child->goOn();
        self::assertSame(2, $child->result()['delivered']);

        // A range that was begun would wait for its own sink.
        $this->world->store()->pauses()->resume('each');
        $elsewhere = $this->world->withFile('elsewhere.json');
        self::assertNull($this->flushed('each', $elsewhere)['failure']);
        self::assertSame(self::ids('event ', 5), [...$this->world->lines(), ...$elsewhere->lines()]);
    }

    #[Test]
    public function an_event_that_may_have_arrived_waits_when_its_bucket_names_another_sink(): void
    {
        $this->append(['a', 'b', 'c'], 'each');
        self::assertTrue($this->flushedUntil('sink.called#2', 'each'));
        $failure = $this->flushed('each', $this->world->withFile('elsewhere.json'))['failure'];

        self::assertIsString($failure);
        Sentence::assertIn(ConfigMismatch::sinkChanged('each', 'each:*', 'each:*'), $failure);
    }

    #[Test]
    public function a_refusal_before_it_does_not_hide_that_a_range_was_begun(): void
    {
        $this->append(['bad 1', 'fails 1'], 'each');
        $this->flushed('each');
        $failure = $this->flushed('each', $this->world->withFile('elsewhere.json'))['failure'];

        self::assertIsString($failure);
        Sentence::assertIn(ConfigMismatch::sinkChanged('each', 'each:*', 'each:*'), $failure);
    }

    #[Test]
    public function events_of_one_frame_are_handed_over_one_by_one_too(): void
    {
        $this->world->buffer()->bucket('each')->addMany(array_map(Event::of(...), ['a', 'b', 'c', 'd']));
        self::assertTrue($this->flushedUntil('sink.returned#2', 'each', $this->world->withBatch(2)));
        $this->flushed('each', $this->world->withBatch(3));

        self::assertSame(['a', 'b', 'b', 'c', 'd'], $this->world->lines());
        $this->assertAllSettled(['a', 'b', 'c', 'd'], 'each');
    }

    #[Test]
    public function a_sink_that_refuses_everything_stops_its_bucket_and_no_event_dies_of_it(): void
    {
        $this->append(self::ids('bad ', 60), 'each');
        $failure = $this->flushed('each')['failure'];

        self::assertIsString($failure);
        Sentence::assertIn(SinkRejectsEverything::inARow('each', 50, Sentence::ANY, Sentence::ANY), $failure);
        $this->assertDead([], 'each');
    }
}
