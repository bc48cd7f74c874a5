<?php

declare(strict_types=1);

namespace Headroom\Spool\Worker;

use DateTimeImmutable;
use DateTimeZone;
use Headroom\Core\Permanent;
use Headroom\Spool\Append\Notifier;
use Headroom\Spool\Delivery\FailureReason;
use Headroom\Spool\Delivery\FlushReport;
use Headroom\Spool\Events\EventsDeadLettered;
use Headroom\Spool\Events\FlushFailed;
use Headroom\Spool\Store\State\RetryState;
use Throwable;

/**
 * Notifies the application's listeners of failures and dead letters of a flush.
 *
 * @internal
 */
final readonly class FlushEvents
{
    public function __construct(private Notifier $notifier) {}

    /** @param bool $isLogged the log has a line about this failure, which it has once per incident */
    public function notify(FlushReport $report, bool $isLogged): void
    {
        // If the buffer could not save a failure, a worker repeats it each second. The event is then dispatched only
        // with a log line.
        if ($report->failure !== null && ($isLogged || $report->retry !== null)) {
            $this->notifier->notify(self::failed($report->bucket, $report->failure, $report->retry));
        }

        if ($report->dead > 0) {
            $this->notifier->notify(new EventsDeadLettered($report->bucket, $report->dead, $report->firstDeath ?? ''));
        }
    }

    private static function failed(string $bucket, Throwable $failure, ?RetryState $state): FlushFailed
    {
        return new FlushFailed(
            $bucket,
            FailureReason::of($failure),
            $failure::class,
            $state?->attempts,
            ! $failure instanceof Permanent,
            $state === null ? null : self::time($state->nextTry),
        );
    }

    /** @param int $micros since the Unix epoch */
    private static function time(int $micros): DateTimeImmutable
    {
        return (new DateTimeImmutable('@'.intdiv($micros, 1_000_000)))
            ->setTimezone(new DateTimeZone('UTC'))
            ->modify('+'.($micros % 1_000_000).' microseconds');
    }
}
