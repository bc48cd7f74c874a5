<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Closure;
use DateTimeImmutable;
use Error;
use Headroom\Core\Record;
use Headroom\Laravel\Facades\Buffer;
use Headroom\Process\Supervision\ShutdownSignal;
use Headroom\Sink\Memory\Arrivals;
use Headroom\Sink\Rejected;
use Headroom\Spool\Delivery\FlushReport;
use Headroom\Spool\Events\BatchFlushed;
use Headroom\Spool\Events\BucketPaused;
use Headroom\Spool\Events\BucketResumed;
use Headroom\Spool\Events\EventsDeadLettered;
use Headroom\Spool\Events\FlushFailed;
use Headroom\Spool\Events\WorkerStopping;
use Headroom\Spool\FileStore\State\StateFile;
use Headroom\Spool\Services\SpoolServices;
use Headroom\Spool\Store\StateRecord;
use Headroom\Spool\Worker\Worker;
use Headroom\Spool\Worker\WorkerOptions;
use Headroom\Spool\Worker\WorkerOutput;
use Headroom\Tests\Laravel\Support\Handlers\HandlesEach;
use Headroom\Tests\Laravel\Support\OnWorkbench;
use Headroom\Tests\Laravel\Support\QueuedListener;
use Headroom\Tests\Support\Redis\RedisServer;
use Illuminate\Contracts\Config\Repository;
use Illuminate\Database\Schema\Blueprint;
use Illuminate\Support\Facades\Artisan;
use Illuminate\Support\Facades\DB;
use Illuminate\Support\Facades\Event;
use Illuminate\Support\Facades\Schema;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use RuntimeException;
use Symfony\Component\Console\Output\BufferedOutput;

/**
 * The events that an application can listen for, dispatched by its own commands. ListenersThatEndTest has listeners
 * that end their process.
 */
final class EventsTest extends TestCase
{
    private const BUCKETS = [
        'once' => ['sink' => 'database', 'table' => 'tickets', 'batch' => 2],
        'least' => ['sink' => 'memory', 'batch' => 2],
        'singles' => ['sink' => 'handler', 'handler' => HandlesEach::class, 'batch' => 2, 'tries' => 2],
    ];

    private ?OnWorkbench $on = null;

    private ?RedisServer $redis = null;

    /** @var list<object> */
    private array $heard = [];

    protected function tearDown(): void
    {
        QueuedListener::$do = null;
        $this->on?->shut();
        $this->redis?->stop();
    }

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
        $this->flush('once', 1);
        $this->flush('once', 1);
        $this->flush('once', 1, ['--now' => true]);
        $heard = $this->heard(FlushFailed::class);

        self::assertSame([1, 2], array_column($heard, 'attempts'), 'The second flush waited.');
        self::assertSame([true, true], $free);
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
        self::assertCount(2, $this->heard(FlushFailed::class));
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
        self::assertStringContainsString('It fails 0.', $this->heard(EventsDeadLettered::class)[0]->firstReason ?? '');
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

    /** @return iterable<string, array{Closure(BatchFlushed): mixed, bool}> and whether the log has a line */
    public static function badListeners(): iterable
    {
        yield 'it throws' => [static fn (): never => throw new RuntimeException('No.'), true];
        yield 'it fails with an error of PHP' => [static fn (): never => throw new Error('No.'), true];
        yield 'it leaves a transaction open' => [DB::beginTransaction(...), true];
        yield 'it leaves one of plain SQL open' => [static fn (): bool => DB::unprepared('begin'), true];
        yield 'it throws in a transaction' => [static function (): never {
            DB::beginTransaction();
            throw new RuntimeException('No.');
        }, true];
        yield 'it adds an event' => [static fn () => Buffer::bucket('other')->add(['n' => 1]), false];
        yield 'it flushes the same bucket' => [
            static fn (BatchFlushed $event): int => Artisan::call('spool:flush', ['bucket' => $event->bucket]),
            false,
        ];
        yield 'it flushes everything' => [static fn (): int => Artisan::call('spool:flush'), false];
        yield 'it sleeps' => [static fn () => usleep(100_000), false];
        yield 'it closes the connection' => [static fn () => DB::purge(), false];
    }

    /** @param Closure(BatchFlushed): mixed $listener */
    #[Test]
    #[DataProvider('badListeners')]
    public function a_listener_that_harms_loses_and_doubles_nothing(Closure $listener, bool $isLogged): void
    {
        foreach (['once', 'least', 'singles'] as $bucket) {
            $this->boot();
            $this->hear(BatchFlushed::class, FlushFailed::class, EventsDeadLettered::class);
            Event::listen(BatchFlushed::class, $listener);
            $this->add(5, $bucket);
            $report = $this->flush($bucket);

            self::assertSame([5, 0], [$report['delivered'], $report['dead']], $bucket);
            self::assertSame([0, 5], [DB::transactionLevel(), $this->arrived($bucket)], $bucket);
            self::assertSame([], [...$this->heard(FlushFailed::class), ...$this->heard(EventsDeadLettered::class)]);
            // At most once a minute, though it was called with each batch.
            self::assertSame(
                $isLogged ? 1 : 0,
                preg_match_all(
                    '/\.ERROR: .*'.preg_quote(BatchFlushed::class, '/').'/',
                    (string) $this->on?->workbench->log(),
                ),
                (string) $this->on?->workbench->log(),
            );
            $this->on = $this->on?->again(self::buckets('file'));
            $this->bindHandler();
            self::assertSame([0, 0], [$this->flush($bucket)['delivered'], $this->flush($bucket)['dead']], $bucket);
            $this->on?->shut();
            $this->on = null;
        }
    }

    #[Test]
    #[TestWith(['file'])]
    #[TestWith(['redis'])]
    public function an_event_that_a_listener_adds_to_the_same_bucket_comes_with_the_next_flush(string $store): void
    {
        $this->boot($store);
        $this->add(4, 'least');
        Event::listen(static function (BatchFlushed $event): void {
            Buffer::bucket('least')->add(['title' => "after {$event->events}"]);
        });

        self::assertSame(4, $this->flush('least')['delivered']);
        self::assertSame(2, $this->flush('least')['delivered']);
        self::assertSame(7, count($this->arrivals()->idsOf('least')) + $this->pending('least'));
        self::assertCount(6, array_unique($this->arrivals()->idsOf('least')));
    }

    #[Test]
    public function a_listener_of_failures_that_flushes_is_not_called_by_its_own_flush(): void
    {
        $this->boot();
        $this->add(1, 'once');
        Schema::drop('tickets');
        $this->hear(FlushFailed::class);
        Event::listen(static function (FlushFailed $event): void {
            Artisan::call('spool:flush', ['bucket' => $event->bucket, '--now' => true]);
        });
        $this->flush('once', 1);
        $this->flush('once', 1, ['--now' => true]);
        self::assertCount(2, $this->heard(FlushFailed::class));
    }

    #[Test]
    public function listeners_that_fail_change_no_exit_code(): void
    {
        $this->boot();
        Event::listen('Headroom\Spool\Events\*', static fn (): never => throw new RuntimeException('No.'));
        $this->add(1, 'once');
        $this->artisan('spool:pause', ['bucket' => 'once']);
        $this->artisan('spool:resume', ['bucket' => 'once']);
        $this->work();
        Schema::rename('tickets', 'gone');
        $this->add(1, 'once');
        $this->flush('once', 1);

        foreach ([
            BatchFlushed::class, BucketPaused::class, BucketResumed::class, FlushFailed::class, WorkerStopping::class,
        ] as $event) {
            self::assertSame(
                1,
                preg_match_all('/\.ERROR: .*'.preg_quote($event, '/').'/', (string) $this->on?->workbench->log()),
                $event,
            );
        }
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

    private function boot(string $store = 'file'): void
    {
        $this->on = OnWorkbench::with(WorkbenchDatabase::Sqlite, self::buckets($store), ['heartbeats' => false]);
        Schema::create('tickets', static function (Blueprint $table): void {
            $table->id();
            $table->string('title');
        });
        $this->bindHandler();

        if ($store === 'redis') {
            $this->redis = RedisServer::start();
            $this->configuration()->set(
                'database.redis.default',
                ['host' => '127.0.0.1', 'port' => $this->redis->port, 'timeout' => 5, 'read_timeout' => 5],
            );
        }
    }

    private function configuration(): Repository
    {
        return $this->on?->workbench->app->make(Repository::class) ?? self::fail();
    }

    /** @return array<string, array<string, mixed>> */
    private static function buckets(string $store): array
    {
        $buckets = array_map(
            static fn (array $bucket): array => ['store' => $store, ...$bucket],
            self::BUCKETS,
        );

        return ['other' => ['sink' => 'memory'], ...$buckets];
    }

    private function bindHandler(): void
    {
        $this->on?->workbench->app->bind(
            HandlesEach::class,
            fn (): HandlesEach => self::handler($this->arrivals()),
        );
    }

    /** @param ?Arrivals $arrivals null takes everything */
    private static function handler(?Arrivals $arrivals): HandlesEach
    {
        return new class($arrivals === null) implements HandlesEach
        {
            public function __construct(private readonly bool $takesAll) {}

            public function handle(Record $event): void
            {
                $title = is_string($event->values['title'] ?? null) ? $event->values['title'] : '';

                if (! $this->takesAll && str_starts_with($title, 'bad')) {
                    throw Rejected::because("It is {$title}.");
                }

                if (! $this->takesAll && str_starts_with($title, 'fails')) {
                    throw new RuntimeException("It {$title}.");
                }

                DB::table('tickets')->insert(['title' => $title]);
            }
        };
    }

    /** @param class-string ...$events */
    private function hear(string ...$events): void
    {
        Event::listen(array_values($events), function (object $event): void {
            $this->heard[] = $event;
        });
    }

    /**
     * @template TEvent of object
     *
     * @param class-string<TEvent> $class
     * @return list<TEvent>
     */
    private function heard(string $class): array
    {
        return array_values(array_filter(
            $this->heard,
            static fn (object $event): bool => $event instanceof $class,
        ));
    }

    private function add(int $count, string $bucket, string $title = 'event '): void
    {
        for ($i = 0; $i < $count; $i++) {
            Buffer::bucket($bucket)->add(['title' => $title.$i]);
        }
    }

    /**
     * @param array<string, mixed> $options
     * @return array<mixed> what --json says of the bucket
     */
    private function flush(string $bucket, int $exit = 0, array $options = []): array
    {
        $said = json_decode(
            $this->artisan('spool:flush', ['bucket' => $bucket, '--json' => true, ...$options], $exit),
            true,
            flags: JSON_THROW_ON_ERROR,
        );
        $report = is_array($said) && is_array($said['buckets'] ?? null) ? $said['buckets'][0] ?? null : null;

        return is_array($report) ? $report : self::fail('There is no report.');
    }

    private function work(int $exit = 0): void
    {
        $this->artisan(
            'spool:work',
            [
                'bucket' => ['once', 'least', 'singles'],
                '--stop-when-empty' => true,
                '--sleep' => '0',
                '--memory' => '4096',
            ],
            $exit,
        );
    }

    /** @param array<string, mixed> $parameters */
    private function artisan(string $command, array $parameters = [], int $exit = 0): string
    {
        // A listener that runs a command changes what Artisan::output() returns.
        $output = new BufferedOutput;
        self::assertSame($exit, Artisan::call($command, $parameters, $output), $command);

        return $output->fetch();
    }

    private function spool(): SpoolServices
    {
        return $this->on?->workbench->app->make(SpoolServices::class) ?? self::fail();
    }

    private function arrivals(): Arrivals
    {
        return $this->on?->workbench->app->make(Arrivals::class) ?? self::fail();
    }

    private function arrived(string $bucket): int
    {
        return $bucket === 'least' ? count($this->arrivals()->idsOf('least')) : DB::table('tickets')->count();
    }

    private function pending(string $bucket): int
    {
        return $this->on?->pending()[$bucket] ?? 0;
    }

    /** The saved cursor of the bucket, read as another process would read it. */
    private function cursor(string $bucket): string
    {
        if ($this->redis !== null) {
            $record = $this->redis->ask('HGET', "workbench_{spool:{$bucket}}:state", 'record');

            return StateRecord::fromJson(is_string($record) ? $record : '', 'state')
                ->flush->progress->position->toString();
        }

        $store = $this->spool()->store();

        return (new StateFile($store->layout($bucket)->stateFile, $store->permissions))
            ->read()->flush->progress->position->toString();
    }
}
