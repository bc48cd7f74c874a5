<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Closure;
use Error;
use Headroom\Laravel\Facades\Buffer;
use Headroom\Spool\Events\BatchFlushed;
use Headroom\Spool\Events\BucketPaused;
use Headroom\Spool\Events\BucketResumed;
use Headroom\Spool\Events\EventsDeadLettered;
use Headroom\Spool\Events\FlushFailed;
use Headroom\Spool\Events\WorkerStopping;
use Headroom\Tests\Laravel\Support\EventsTestCase;
use Illuminate\Support\Facades\Artisan;
use Illuminate\Support\Facades\DB;
use Illuminate\Support\Facades\Event;
use Illuminate\Support\Facades\Schema;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use RuntimeException;

/**
 * Listeners that fail, or that use the buffer and the database while a bucket is flushed. ListenersThatEndTest has
 * listeners that end their process.
 */
final class BadListenersTest extends EventsTestCase
{
    private const DELIVERIES = [
        ['file', 'once'], ['file', 'least'], ['file', 'singles'], ['redis', 'once'], ['redis', 'least'],
    ];

    /** @return iterable<string, array{Closure(BatchFlushed): mixed, bool}> and whether the log has a line */
    private static function badListeners(): iterable
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

    /** @return iterable<string, array{string, string, Closure(BatchFlushed): mixed, bool}> */
    public static function badListenersOfDeliveries(): iterable
    {
        foreach (self::DELIVERIES as [$store, $bucket]) {
            foreach (self::badListeners() as $name => [$listener, $isLogged]) {
                yield "{$bucket} from {$store}: {$name}" => [$store, $bucket, $listener, $isLogged];
            }
        }
    }

    /** @param Closure(BatchFlushed): mixed $listener */
    #[Test]
    #[DataProvider('badListenersOfDeliveries')]
    public function a_listener_that_harms_loses_and_doubles_nothing(
        string $store,
        string $bucket,
        Closure $listener,
        bool $isLogged,
    ): void {
        $this->boot($store);
        $this->hear(BatchFlushed::class, FlushFailed::class, EventsDeadLettered::class);
        Event::listen(BatchFlushed::class, $listener);
        $this->add(5, $bucket);
        $report = $this->flush($bucket);

        self::assertSame([5, 0], [$report['delivered'], $report['dead']]);
        self::assertSame([0, 5], [DB::transactionLevel(), $this->arrived($bucket)]);
        self::assertSame([], [...$this->heard(FlushFailed::class), ...$this->heard(EventsDeadLettered::class)]);
        // At most once a minute, though it was called with each batch.
        self::assertSame(
            $isLogged ? 1 : 0,
            preg_match_all('/\.ERROR: .*'.preg_quote(BatchFlushed::class, '/').'/', $this->log()),
            $this->log(),
        );

        $this->reboot($store);
        $report = $this->flush($bucket);
        self::assertSame([0, 0], [$report['delivered'], $report['dead']]);
    }

    #[Test]
    #[TestWith(['file'])]
    #[TestWith(['redis'])]
    public function an_event_added_by_a_listener_comes_with_the_next_flush(string $store): void
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
                preg_match_all('/\.ERROR: .*'.preg_quote($event, '/').'/', $this->log()),
                $event,
            );
        }
    }
}
