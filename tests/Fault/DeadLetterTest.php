<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Core\SystemClock;
use Headroom\Sink\Delivery;
use Headroom\Sink\ExactlyOnce;
use Headroom\Sink\UnableToDeliver;
use Headroom\Spool\Delivery\BatchBisector;
use Headroom\Spool\Delivery\BatchReader;
use Headroom\Spool\Delivery\DeliveryRun;
use Headroom\Spool\Delivery\ExactlyOnceDelivery;
use Headroom\Spool\Delivery\FlushOptions;
use Headroom\Spool\Delivery\FlushReport;
use Headroom\Spool\Encoding\Codec;
use Headroom\Spool\Encoding\UnableToDecode;
use Headroom\Spool\FileStore\Segment\Frame;
use Headroom\Spool\UnableToFlush;
use Headroom\Tests\Fault\Support\Act;
use Headroom\Tests\Fault\Support\CountedLetters;
use Headroom\Tests\Fault\Support\DeadLetterTestCase;
use Headroom\Tests\Fault\Support\Event;
use Headroom\Tests\Fault\Support\LeaseWith;
use Headroom\Tests\Support\Sample;
use Headroom\Tests\Support\Sentence;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestDox;
use PHPUnit\Framework\Attributes\TestWith;
use RuntimeException;

/**
 * Events that a sink refuses. In the bucket "events" one without a body is: the column may not be null.
 */
final class DeadLetterTest extends DeadLetterTestCase
{
    #[Test]
    #[TestDox('bad row among good ones')]
    #[TestWith([1])]
    #[TestWith([3])]
    #[TestWith([1000])]
    public function a_bad_row_among_good_ones_dies_alone(int $batch): void
    {
        $this->world = $this->world->withBatch($batch);
        $this->append(['a', 'b', 'bad 1', 'c', 'bad 2', 'bad 3', 'd', 'e', 'bad 4']);
        $report = $this->flush();

        self::assertSame([5, 4], [$report->delivered, $report->dead]);
        self::assertSame(['a', 'b', 'c', 'd', 'e'], $this->world->rows());
        $this->assertDead(['bad 1', 'bad 2', 'bad 3', 'bad 4']);
        self::assertStringContainsString('NOT NULL constraint failed: events.body', $this->letters()[0]->reason);
        $this->assertCounts(accepted: 9, delivered: 5, dead: 4);
    }

    #[Test]
    public function a_bad_row_inside_a_frame_of_many_dies_alone(): void
    {
        $this->world->buffer()
            ->bucket('events')
            ->addMany([Event::of('a'), ['id' => 'bad 1'], Event::of('b'), Event::of('c'), ['id' => 'bad 2']]);
        $this->flush();

        self::assertSame(['a', 'b', 'c'], $this->world->rows());
        $this->assertDead(['bad 1', 'bad 2']);
        $this->assertCounts(accepted: 5, delivered: 3, dead: 2);
    }

    #[Test]
    public function a_plain_sink_gets_each_good_event_and_never_a_bad_one_with_it(): void
    {
        $this->append(['a', 'bad 1', 'b', 'c', 'bad 2', 'd', 'bad 3'], 'picky');
        $this->flush('picky');

        self::assertSame(['a', 'b', 'c', 'd'], $this->world->lines());
        $this->assertDead(['bad 1', 'bad 2', 'bad 3'], 'picky');
        $this->assertCounts(accepted: 7, delivered: 4, dead: 3, bucket: 'picky');
    }

    #[Test]
    public function a_sink_that_refuses_everything_stops_its_bucket_and_no_event_dies_of_it(): void
    {
        $this->append(self::ids('bad ', 60));
        $report = $this->world->flush();

        self::assertInstanceOf(UnableToFlush::class, $report->failure);
        self::assertSame([0, 0, []], [$report->delivered, $report->dead, $this->world->rows()]);
        $this->assertDead([]);
        $this->assertCounts(accepted: 60, delivered: 0, dead: 0, pending: 60);

        $this->append(['good']);
        $report = $this->world->flush(limits: new FlushOptions(now: true, buryAll: true));
        self::assertNull($report->failure, $report->failure?->getMessage() ?? '');
        self::assertSame(['good'], $this->world->rows());
        $this->assertCounts(accepted: 61, delivered: 1, dead: 60);
    }

    #[Test]
    public function each_letter_is_written_once_however_many_are_refused_in_a_row(): void
    {
        $this->append(self::ids('bad ', 20));
        $lease = $this->world->store()->claim('events') ?? self::fail('The bucket is being flushed.');
        $letters = new CountedLetters($lease->letters());
        $config = $this->world->runtime()->config()->bucket('events') ?? self::fail('The bucket is not declared.');
        $sink = $this->world->runtime()->sinks()->of($config);
        self::assertInstanceOf(ExactlyOnce::class, $sink);
        $counted = new LeaseWith($lease, $letters);
        $report = new FlushReport('events');
        $strategy = new ExactlyOnceDelivery($sink, $this->world->runtime()->sinks(), $lease, $report);
        $from = $strategy->begin()->position;
        $lease->seal();
        $run = new DeliveryRun($strategy, $counted, $config, new SystemClock, $report, new FlushOptions(buryAll: true));
        $bisector = new BatchBisector($run, $strategy, $counted, new FlushOptions(buryAll: true));

        foreach ((new BatchReader($lease, new Codec, $lease->source(), $report, $from, 1000))->read() as $item) {
            try {
                $item instanceof Delivery ? $run->deliver($item) : $run->reject($item);
            } catch (UnableToDeliver $e) {
                self::assertInstanceOf(Delivery::class, $item);
                $bisector->refused($item, $e);
            }
        }

        $run->finish();
        $lease->close($lease->state()->progress->position);

        self::assertSame([20, 20], [$report->dead, $letters->buried]);
    }

    #[Test]
    public function a_bucket_that_never_took_anything_buries_nothing_over_many_small_flushes(): void
    {
        foreach (self::ids('bad ', 5) as $id) {
            $this->append([$id]);
            self::assertInstanceOf(UnableToFlush::class, $this->world->flush()->failure);
        }

        $this->assertCounts(accepted: 5, delivered: 0, dead: 0, pending: 5);
        $this->append(['good']);
        $this->flush();
        $this->assertCounts(accepted: 6, delivered: 1, dead: 5);
    }

    #[Test]
    public function a_missing_table_is_no_fault_of_any_event(): void
    {
        $this->append(['a']);
        $this->world->database()->statement('alter table events rename to elsewhere');
        self::assertNotNull($this->world->flush()->failure);
        $this->assertDead([]);

        $this->world->database()->statement('alter table elsewhere rename to events');
        $this->flush();
        self::assertSame(['a'], $this->world->rows());
    }

    #[Test]
    #[TestDox('schema changed while events are pending')]
    #[TestWith([3])]
    #[TestWith([100])]
    public function schema_changed_under_pending_events(int $events): void
    {
        $this->append(self::ids('event ', $events));
        $this->world->database()->statement('alter table events rename column body to text');
        $report = $this->world->flush();

        self::assertInstanceOf(UnableToFlush::class, $report->failure);
        $this->assertDead([]);
        $this->world->database()->statement('alter table events rename column text to body');
        $this->flush();
        $this->assertDeliveredOnce(self::ids('event ', $events));
    }

    #[Test]
    public function a_line_that_is_no_event_dies_and_lets_others_pass(): void
    {
        $this->append(['a']);
        $slot = "{$this->world->layout()->active}/u".posix_geteuid().'-0000.log';
        file_put_contents($slot, Frame::events('"no row"  ', 1, (int) filesize($slot), 1), FILE_APPEND);
        $this->append(['b']);
        $this->flush();

        self::assertSame(['a', 'b'], $this->world->rows());
        $letters = $this->letters();
        self::assertCount(1, $letters);
        self::assertSame('"no row"  ', $letters[0]->line);
        Sentence::assertIn(UnableToDecode::notARow(10), $letters[0]->reason);
    }

    /** @return iterable<string, array{string}> */
    public static function pointsOfAHunt(): iterable
    {
        foreach (['delivery.begun', 'ledger.advanced', 'rows.inserted', 'delivery.committed'] as $point) {
            foreach (range(1, 12) as $time) {
                yield "{$point}#{$time}" => ["{$point}#{$time}"];
            }
        }
    }

    /** @return array<string, array{string}> */
    public static function sampledPointsOfAHunt(): array
    {
        return Sample::of(self::pointsOfAHunt(), 7);
    }

    #[Test, Group('day-2')]
    #[DataProvider('sampledPointsOfAHunt')]
    public function a_hunt_that_is_killed_anywhere_goes_on(string $point): void
    {
        $this->append(['a', 'bad 1', 'bad 2', 'b', 'bad 3']);
        $child = $this->child('flush', [], [$point => Act::Kill]);

        try {
            $child->awaitKilled();
        } catch (RuntimeException) {
            // Some points are passed less often.
            self::assertSame(2, $child->result()['delivered'] ?? null);
        }

        $this->flush();
        self::assertSame(['a', 'b'], $this->world->rows());
        $this->assertDead(['bad 1', 'bad 2', 'bad 3']);
        $this->assertCounts(accepted: 5, delivered: 2, dead: 3);
    }

    #[Test]
    public function a_letter_is_void_when_the_sink_takes_its_event_after_all(): void
    {
        $this->append(['bad 1', 'b']);
        $this->child('flush', [], ['ledger.advanced#3' => Act::Kill])->awaitKilled();
        self::assertNotSame([], $this->names($this->world->layout()->dead), 'The letter is written before the step.');
        $this->assertDead([]);
        $this->mendTable();
        $this->flush();

        self::assertSame(2, $this->world->database()->table('events')->count());
        $this->assertDead([]);
        self::assertSame([], $this->names($this->world->layout()->dead));
        $this->assertCounts(accepted: 2, delivered: 2, dead: 0);
    }

    #[Test]
    public function a_plan_with_dead_letters_is_sent_again_without_them(): void
    {
        $this->append(['bad 1', 'bad 2', 'a', 'b'], 'picky');
        // The attempts: all four, the first two, each of them, the other two.
        $this->child('flush', ['picky'], ['sink.returned' => Act::Kill])->awaitKilled();
        self::assertSame(['a', 'b'], $this->world->lines());
        $this->flush('picky');

        $deliveries = $this->world->deliveries();
        self::assertSame(
            $deliveries[count($deliveries) - 2],
            $deliveries[count($deliveries) - 1],
            'The same range under the same id.',
        );
        self::assertSame(['a', 'b', 'a', 'b'], $this->world->lines());
        $this->assertDead(['bad 1', 'bad 2'], 'picky');
        $this->assertCounts(accepted: 4, delivered: 2, dead: 2, bucket: 'picky');
    }
}
