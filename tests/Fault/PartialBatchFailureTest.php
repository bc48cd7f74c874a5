<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Core\Batch;
use Headroom\Core\Position;
use Headroom\Core\Record;
use Headroom\Sink\Delivery;
use Headroom\Spool\Delivery\ExactlyOnceDelivery;
use Headroom\Spool\Delivery\FailureReason;
use Headroom\Spool\Delivery\FlushOptions;
use Headroom\Spool\Delivery\FlushReport;
use Headroom\Spool\Delivery\SinkContractViolated;
use Headroom\Spool\Exceptions\SinkRejectsEverything;
use Headroom\Spool\UnableToFlush;
use Headroom\Tests\Fault\Support\FlowTestCase;
use Headroom\Tests\Fault\Support\PartlyOnceSink;
use Headroom\Tests\Fault\Support\SomeAreBad;
use Headroom\Tests\Support\Sample;
use Headroom\Tests\Support\Sentence;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestDox;

/**
 * A sink that takes a batch but for some of its records.
 */
final class PartialBatchFailureTest extends FlowTestCase
{
    private const POINTS = [
        'sink.called', 'sink.returned', 'state.saving', 'state.saved', 'letter.burying', 'letter.buried',
    ];

    private const EVENTS = ['a', 'bad 1', 'b', 'bad 2', 'c'];

    #[Test]
    public function the_refused_ones_become_letters_and_the_others_have_arrived(): void
    {
        $this->append(self::EVENTS, 'partly');
        $report = $this->world->flush('partly');

        self::assertNull($report->failure, $report->failure?->getMessage() ?? '');
        self::assertSame([3, 2, 1], [$report->delivered, $report->dead, $report->batches]);
        self::assertSame('bad 1 is bad.', $report->firstDeath);
        self::assertSame(['a', 'b', 'c'], $this->world->lines());
        self::assertSame(['bad 1 is bad.', 'bad 2 is bad.'], array_column($this->letters('partly'), 'reason'));
        self::assertCount(1, $this->world->deliveries());
        $this->assertAllSettled(self::EVENTS, 'partly');
    }

    #[Test]
    public function a_reason_that_is_no_text_is_described_and_a_long_one_cut(): void
    {
        $ids = ['a', 'bad by number', 'bad by nothing', 'bad by a list', 'bad by an exception', 'bad and long'];
        $this->append($ids, 'partly');
        $report = $this->world->flush('partly');

        self::assertNull($report->failure, $report->failure?->getMessage() ?? '');
        $this->assertAllSettled($ids, 'partly');
        $reasons = array_column($this->letters('partly'), 'reason');
        $long = (string) array_pop($reasons);
        self::assertSame(['422', FailureReason::of(null), FailureReason::of([]), 'It said so.'], $reasons);
        self::assertStringStartsWith('bad and long bad and', $long);
        self::assertMatchesRegularExpression('/\b5200000\b.*$/', $long);
        self::assertLessThanOrEqual(4096, strlen($long));
    }

    #[Test]
    public function the_reasons_of_a_batch_that_is_refused_whole_are_text_as_well(): void
    {
        $ids = ['bad by number', 'bad by a list', 'bad and long'];
        $this->append($ids, 'partly');
        $report = $this->world->flush('partly');

        self::assertNull($report->failure, $report->failure?->getMessage() ?? '');
        self::assertSame('422', $report->firstDeath);
        self::assertSame(
            ['422', FailureReason::of([])],
            array_slice(array_column($this->letters('partly'), 'reason'), 0, 2),
        );
        self::assertLessThanOrEqual(4096, strlen(array_column($this->letters('partly'), 'reason')[2]));
    }

    /** @return iterable<string, array{string}> */
    public static function everyPoint(): iterable
    {
        foreach (self::times(3, ...self::POINTS) as $point) {
            yield $point => [$point];
        }
    }

    /** @return array<string, array{string}> */
    public static function sampledEveryPoint(): array
    {
        return Sample::of(self::everyPoint(), 6);
    }

    #[Test, Group('day-2')]
    #[TestDox('flusher killed while it writes dead letters')]
    #[DataProvider('sampledEveryPoint')]
    public function a_kill_anywhere_sends_the_same_range_again_and_leaves_each_letter_once(string $point): void
    {
        $this->append(self::EVENTS, 'partly');
        // It is sent once and saved twice, and two of it are buried.
        self::assertSame(
            ! str_ends_with($point, '#3') && ! in_array($point, ['sink.called#2', 'sink.returned#2'], true),
            $this->flushedUntil($point, 'partly'),
        );
        self::assertNull($this->world->withBatch(2)->flush('partly')->failure);

        $this->assertAllSettled(self::EVENTS, 'partly');

        if (in_array(
            $point,
            [
                'sink.called#1', 'sink.returned#1', 'state.saved#1', 'letter.burying#1', 'letter.buried#1',
                'letter.burying#2', 'letter.buried#2', 'state.saving#2',
            ],
            true,
        )) {
            $ranges = array_unique($this->world->deliveries());
            self::assertCount(1, $ranges, 'The same range, whole, under the same id.');
            self::assertStringEndsWith(' 5', $ranges[0]);
        }
    }

    /** @return iterable<string, array{string}> */
    public static function everyPointOfThreeBatches(): iterable
    {
        foreach (self::times(6, ...self::POINTS) as $point) {
            yield $point => [$point];
        }
    }

    /** @return array<string, array{string}> */
    public static function sampledEveryPointOfThreeBatches(): array
    {
        return Sample::of(self::everyPointOfThreeBatches(), 8);
    }

    #[Test, Group('day-3')]
    #[DataProvider('sampledEveryPointOfThreeBatches')]
    public function events_refused_before_a_batch_stay_out_when_it_comes_again(string $point): void
    {
        $ids = ['bad 1', 'bad 2', 'a', 'bad 3', 'b'];
        $this->append($ids, 'partly');
        $this->flushedUntil($point, 'partly', $this->world->withBatch(2));
        self::assertNull($this->world->withBatch(3)->flush('partly')->failure);

        $this->assertAllSettled($ids, 'partly');
        self::assertLessThanOrEqual(3, count($this->world->lines()));
    }

    #[Test]
    public function an_event_taken_the_second_time_has_no_letter(): void
    {
        $this->append(['a', 'bad 1', 'b'], 'partly');
        self::assertTrue($this->flushedUntil('letter.buried', 'partly'));
        self::assertCount(1, $this->names($this->world->layout('partly')->dead));
        $this->assertDead([], 'partly');

        touch("{$this->world->directory}/lines.json.deliveries.lenient");
        $this->flushed('partly');

        self::assertSame(['a', 'b', 'a', 'bad 1', 'b'], $this->rawLines());
        self::assertSame([], $this->names($this->world->layout('partly')->dead));
        $this->assertCounts(accepted: 3, delivered: 3, dead: 0, bucket: 'partly');
    }

    #[Test]
    public function numbers_that_are_none_are_a_fault_of_the_sink_and_nothing_is_lost(): void
    {
        $this->append(['a', 'strange', 'b'], 'partly');

        foreach (range(1, 2) as $attempt) {
            $failure = $this->flushed('partly')['failure'];
            self::assertIsString($failure);
            Sentence::assertIn(SinkContractViolated::numbers(SomeAreBad::those([3 => '']), '*3*', 3), $failure);
        }

        self::assertCount(1, array_unique($this->world->deliveries()));
        $this->assertDead([], 'partly');
        $this->assertCounts(accepted: 3, delivered: 0, dead: 0, pending: 3, bucket: 'partly');
    }

    #[Test]
    public function a_sink_that_keeps_the_cursor_cannot_take_a_part(): void
    {
        $this->append(['a', 'b']);
        $lease = $this->world->store()->claim('events');
        self::assertNotNull($lease);

        try {
            $delivery = new Delivery(
                $lease->source(),
                Position::start(),
                new Position(1, 0, 0),
                Batch::of([new Record(new Position(1, 0, 0), 1, ['id' => 'a'])]),
            );
            (new ExactlyOnceDelivery(
                new PartlyOnceSink,
                $this->world->runtime()->sinks(),
                $lease,
                new FlushReport('events'),
            ))->deliver($delivery);
            self::fail('It was taken.');
        } catch (SinkContractViolated $e) {
            Sentence::assertIn(SinkContractViolated::partOfOnce(SomeAreBad::those([0 => 'bad'])), $e->getMessage());
        } finally {
            $lease->close(Position::start());
        }

        self::assertTrue($this->world->store()->claim('events')?->state()->progress->position->isStart());
    }

    #[Test]
    public function a_batch_of_which_something_arrives_resets_the_count(): void
    {
        $this->append([...self::ids('bad a', 49), 'good', ...self::ids('bad b', 49), 'good too'], 'partly');
        $report = $this->world->withBatch(50)->flush('partly');

        self::assertNull($report->failure, $report->failure?->getMessage() ?? '');
        self::assertSame([2, 98], [$report->delivered, $report->dead]);
    }

    #[Test]
    public function a_sink_that_refuses_everything_is_noticed_over_many_small_flushes(): void
    {
        foreach (self::ids('bad ', 49) as $id) {
            $this->append([$id], 'partly');
            self::assertNull($this->world->flush('partly')->failure);
        }

        $this->append(['bad 50'], 'partly');
        self::assertInstanceOf(UnableToFlush::class, $this->world->flush('partly')->failure);
        $this->assertCounts(accepted: 50, delivered: 0, dead: 49, pending: 1, bucket: 'partly');
    }

    #[Test]
    public function each_flush_that_fails_looks_twice_as_far_for_an_event_that_is_taken(): void
    {
        $this->append([...self::ids('bad ', 180), 'good'], 'partly');
        $failures = array_map(
            fn (): bool => $this->world->withBatch(10)->flush('partly')->failure !== null,
            range(1, 3),
        );

        self::assertSame([true, true, false], $failures);
        $this->assertCounts(accepted: 181, delivered: 1, dead: 180, bucket: 'partly');
    }

    #[Test]
    public function batches_of_which_nothing_arrives_count_as_refusals_and_none_dies_of_them(): void
    {
        $this->append([...self::ids('bad ', 60), 'good'], 'partly');
        $report = $this->world->withBatch(10)->flush('partly');

        Sentence::assertIn(
            SinkRejectsEverything::inARow('partly', 50, Sentence::ANY, Sentence::ANY),
            $report->failure?->getMessage(),
        );
        self::assertCount(5, $this->world->deliveries(), 'Nobody halves what is known record by record.');
        $this->assertDead([], 'partly');

        $report = $this->world->withBatch(10)->flush('partly', new FlushOptions(now: true, buryAll: true));
        self::assertSame([1, 60], [$report->delivered, $report->dead]);
    }

    #[Test]
    public function a_batch_of_which_nothing_arrives_is_buried_with_the_next_one_that_does(): void
    {
        $this->append(['bad 1', 'bad 2', 'a', 'bad 3'], 'partly');
        $this->child('flush', ['partly'], world: $this->world->withBatch(2))->result();

        self::assertCount(2, $this->world->deliveries());
        $this->assertAllSettled(['bad 1', 'bad 2', 'a', 'bad 3'], 'partly');
    }

    /** @return list<string> */
    private function rawLines(): array
    {
        return array_map(static function (string $line): string {
            $event = json_decode($line, true, 4, JSON_THROW_ON_ERROR);

            return is_array($event) && is_string($event['id'] ?? null) ? $event['id'] : '';
        }, explode("\n", trim((string) file_get_contents("{$this->world->directory}/lines.json"))));
    }
}
