<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use DateTimeImmutable;
use Headroom\Process\Supervision\ShutdownSignal;
use Headroom\Spool\Delivery\FlushReport;
use Headroom\Spool\Events\BatchFlushed;
use Headroom\Spool\Events\BucketPaused;
use Headroom\Spool\Events\BucketResumed;
use Headroom\Spool\Events\EventsDeadLettered;
use Headroom\Spool\Events\FlushFailed;
use Headroom\Spool\Events\WorkerStopping;
use Headroom\Spool\Worker\Worker;
use Headroom\Spool\Worker\WorkerOptions;
use Headroom\Spool\Worker\WorkerOutput;
use Headroom\Tests\Laravel\Support\EventsTestCase;
use Headroom\Tests\Laravel\Support\Handlers\HandlesEach;
use Headroom\Tests\Laravel\Support\QueuedListener;
use Illuminate\Support\Facades\Event;
use Illuminate\Support\Facades\Schema;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use RuntimeException;

/**
 * The events that an application can listen for, dispatched by its own commands.
 */
final class EventsTest extends EventsTestCase
{
    /** @return iterable<string, array{string, string}> */
    public static function deliveries(): iterable
    {
        yield 'exactly once from disk' => ['file', 'once'];
        yield 'at least once from disk' => ['file', 'least'];
        yield 'one by one from disk' => ['file', 'singles'];
        yield 'exactly once from Redis' => ['redis', 'once'];
        yield 'at least once from Redis' => ['redis', 'least'];
        yield 'one by one from Redis' => ['redis', 'singles'];
    }

    #[Test]
    #[DataProvider('deliveries')]
    public function each_batch_is_reported_once_after_its_cursor_is_saved(string $store, string $bucket): void
    {
        $this->boot($store);
        $saved = [];
        Event::listen(function (BatchFlushed $event) use (&$saved): void {
            $saved[] = $this->cursor($event->bucket);
        });
        $this->hear(BatchFlushed::class);
        $this->add(5, $bucket);

        $batches = $this->flush($bucket)['batches'];
        $heard = $this->heard(BatchFlushed::class);

        self::assertSame($bucket === 'singles' ? [1, 1, 1, 1, 1] : [2, 2, 1], array_column($heard, 'events'));
        self::assertSame($batches, array_sum(array_map(static fn (): int => 1, $heard)));
        self::assertSame(array_column($heard, 'to'), $saved);
        self::assertSame(
            array_slice(array_column($heard, 'to'), 0, -1),
            array_slice(array_column($heard, 'from'), 1),
        );
        self::assertSame(array_fill(0, count($heard), $bucket), array_column($heard, 'bucket'));
        self::assertGreaterThan(0.0, $heard[0]->seconds);
        self::assertLessThan(60.0, array_sum(array_column($heard, 'seconds')));

        $this->flush($bucket);
        self::assertCount(count($heard), $this->heard(BatchFlushed::class));
    }

    #[Test]
    public function a_worker_reports_its_batches_and_that_it_stops(): void
    {
        $this->boot();
        $this->hear(BatchFlushed::class, WorkerStopping::class);
        $this->add(3, 'once');
        $this->add(1, 'least');
        $this->work();

        self::assertSame(
            [['once', 2], ['once', 1], ['least', 1]],
            array_map(
                static fn (BatchFlushed $event): array => [$event->bucket, $event->events],
                $this->heard(BatchFlushed::class),
            ),
        );
        self::assertEquals(
            [new WorkerStopping(['once', 'least', 'singles'], 'drained')],
            $this->heard(WorkerStopping::class),
        );

        Schema::drop('tickets');
        $this->add(1, 'once');
        $this->work(1);
        self::assertSame('failed', $this->heard(WorkerStopping::class)[1]->reason);
    }

    #[Test]
    public function an_exception_of_the_worker_itself_is_the_reason_error(): void
    {
        $this->boot();
        $this->hear(WorkerStopping::class);
        $worker = new Worker(
            $this->spool(),
            ['once'],
            new WorkerOptions(0, PHP_INT_MAX),
            new ShutdownSignal,
            new class implements WorkerOutput
            {
                public function report(FlushReport $report): void
                {
                    throw new RuntimeException('The output is gone.');
                }

                public function notice(string $message): void {}

                public function error(string $message): void {}
            },
        );
        $this->add(1, 'once');

        try {
            $worker->run();
            self::fail('It went on.');
        } catch (RuntimeException $e) {
            self::assertSame('The output is gone.', $e->getMessage());
        }

        self::assertSame('error', $this->heard(WorkerStopping::class)[0]->reason);
    }

    #[Test]
    #[TestWith(['file'])]
    #[TestWith(['redis'])]
    public function each_attempt_that_failed_is_reported_after_the_bucket_is_released(string $store): void
    {
        $this->boot($store);
        $free = [];
        Event::listen(function (FlushFailed $event) use (&$free): void {
            $free[] = $this->spool()->stores()->flushing($event->bucket) === null;
        });
        $this->hear(FlushFailed::class, BatchFlushed::class);
        $this->add(2, 'once');
        Schema::rename('tickets', 'gone');
        $before = new DateTimeImmutable;
        // The pause between the first two is random and may be over.
        $outcomes = array_column(
            [$this->flush('once', 1), $this->flush('once', 1), $this->flush('once', 1, ['--now' => true])],
            'outcome',
        );
        $attempts = count(array_keys($outcomes, 'failed', true));
        $heard = $this->heard(FlushFailed::class);

        self::assertGreaterThan(1, $attempts);
        self::assertSame(range(1, $attempts), array_column($heard, 'attempts'));
        self::assertSame(array_fill(0, $attempts, true), $free);
        self::assertSame([], $this->heard(BatchFlushed::class));
        self::assertTrue(is_a($heard[0]->exception, RuntimeException::class, true), $heard[0]->exception);
        self::assertStringContainsString('tickets', $heard[0]->reason);
        self::assertGreaterThanOrEqual(
            $before->getTimestamp(),
            $heard[0]->nextAttemptAt?->getTimestamp() ?? 0,
        );

        Schema::rename('gone', 'tickets');
        $this->flush('once', 0, ['--now' => true]);
        self::assertSame([2], array_column($this->heard(BatchFlushed::class), 'events'));
        self::assertCount($attempts, $this->heard(FlushFailed::class));
    }

    #[Test]
    public function a_failure_that_cannot_be_saved_is_reported_once_a_minute(): void
    {
        $this->boot('redis');
        $this->hear(FlushFailed::class);
        $this->add(1, 'once');
        $this->redis?->kill();
        $this->flush('once', 1);
        $this->flush('once', 1);

        self::assertSame([null], array_column($this->heard(FlushFailed::class), 'attempts'));
        self::assertSame([null], array_column($this->heard(FlushFailed::class), 'nextAttemptAt'));
    }

    #[Test]
    #[TestWith(['file'])]
    #[TestWith(['redis'])]
    public function dead_letters_are_reported_once_with_number_and_first_reason(string $store): void
    {
        $this->boot($store);
        $this->hear(EventsDeadLettered::class, BatchFlushed::class);
        $this->add(2, 'singles', 'bad one ');
        $this->add(1, 'singles');
        $this->flush('singles');
        $this->flush('singles');

        self::assertEquals(
            [new EventsDeadLettered('singles', 2, 'It is bad one 0.')],
            $this->heard(EventsDeadLettered::class),
        );
        self::assertSame([1], array_column($this->heard(BatchFlushed::class), 'events'));
    }

    #[Test]
    public function an_event_that_used_up_its_tries_is_reported_as_dead_letter(): void
    {
        $this->boot();
        $this->hear(EventsDeadLettered::class, FlushFailed::class);
        $this->add(1, 'singles', 'fails ');
        $this->add(1, 'singles');
        $this->flush('singles', 1);
        $this->flush('singles', 0, ['--now' => true]);

        self::assertSame([1], array_column($this->heard(EventsDeadLettered::class), 'count'));
        self::assertStringContainsString('It fails 0.', $this->heard(EventsDeadLettered::class)[0]->firstReason);
        self::assertSame([[1, true]], array_map(
            static fn (FlushFailed $event): array => [$event->attempts, $event->isRetryable],
            $this->heard(FlushFailed::class),
        ));
    }

    #[Test]
    public function a_retried_dead_letter_is_reported_as_a_batch(): void
    {
        $this->boot();
        $this->hear(EventsDeadLettered::class, BatchFlushed::class);
        $this->add(1, 'singles', 'bad one ');
        $this->add(1, 'singles');
        $this->flush('singles');
        $this->flush('singles');
        $this->artisan('spool:retry', ['--bucket' => 'singles']);
        $this->on?->workbench->app->bind(HandlesEach::class, static fn (): HandlesEach => self::handler(null));
        $this->flush('singles');

        self::assertCount(1, $this->heard(EventsDeadLettered::class));
        self::assertSame([1, 1], array_column($this->heard(BatchFlushed::class), 'events'));
    }

    #[Test]
    #[TestWith(['file'])]
    #[TestWith(['redis'])]
    public function a_pause_and_its_end_are_reported_if_something_changed(string $store): void
    {
        $this->boot($store);
        $this->hear(BucketPaused::class, BucketResumed::class);
        $this->add(1, 'once');

        foreach (['spool:pause', 'spool:pause', 'spool:resume', 'spool:resume'] as $command) {
            $this->artisan($command, ['bucket' => 'once']);
        }

        self::assertEquals([new BucketPaused('once'), new BucketResumed('once')], $this->heard);
    }

    #[Test]
    public function a_fake_of_the_dispatcher_records_the_events(): void
    {
        $this->boot();
        Event::fake();
        $this->add(5, 'once');
        $this->flush('once');
        $this->artisan('spool:pause', ['bucket' => 'once']);

        Event::assertDispatchedTimes(BatchFlushed::class, 3);
        Event::assertDispatched(BucketPaused::class, fn (BucketPaused $event): bool => $event->bucket === 'once');
        Event::assertNotDispatched(FlushFailed::class);
        self::assertSame(5, $this->arrived('once'));
    }

    #[Test]
    public function a_queued_listener_gets_each_event(): void
    {
        $this->boot();
        QueuedListener::$do = function (object $event): void {
            $this->heard[] = $event;
        };

        foreach ([
            BatchFlushed::class, FlushFailed::class, EventsDeadLettered::class, BucketPaused::class,
            BucketResumed::class, WorkerStopping::class,
        ] as $event) {
            Event::listen($event, QueuedListener::class);
        }

        $this->artisan('spool:pause', ['bucket' => 'once']);
        $this->artisan('spool:resume', ['bucket' => 'once']);
        $this->add(1, 'singles', 'bad one ');
        $this->add(1, 'singles');
        $this->work();
        Schema::drop('tickets');
        $this->add(1, 'once');
        $this->flush('once', 1);

        self::assertSame(
            [
                BucketPaused::class, BucketResumed::class, BatchFlushed::class, EventsDeadLettered::class,
                WorkerStopping::class, FlushFailed::class,
            ],
            array_map(get_class(...), $this->heard),
        );
        self::assertInstanceOf(DateTimeImmutable::class, $this->heard(FlushFailed::class)[0]->nextAttemptAt);
    }
}
