<?php

declare(strict_types=1);

namespace Headroom\Spool\Worker;

use Headroom\Sink\RetryLater;
use Headroom\Spool\Delivery\Backoff;
use Headroom\Spool\Delivery\FlushReport;
use Headroom\Spool\FileStore\State\LogThrottle;
use Headroom\Spool\Services\SpoolServices;
use Headroom\Spool\Store\State\RetryState;
use Headroom\Support\PhpRestrictions;
use Headroom\Support\TerminalText;
use Throwable;

/**
 * Logs a bucket's failures and losses once per incident and at most once a minute, because a worker that retries each
 * second must not fill a disk. The state file keeps track of incidents, because each scheduled flush is a new process.
 * This object only remembers failures that the state file could not record.
 *
 * @internal
 */
final class FailureLog
{
    /** @var array<string, class-string<Throwable>> by bucket */
    private array $failing = [];

    /**
     * @var array<string, array<string, true>> by bucket: losses that were logged; the next flush finds them again when
     *     this one failed
     */
    private array $loggedLosses = [];

    public function __construct(private readonly SpoolServices $spool) {}

    public function note(FlushReport $report): void
    {
        $times = $report->failure === null ? 0 : $this->timesToLog($report, $report->failure);
        $this->logFailure($report, $times);
        $this->spool->writerFactory()->incidents()->close($report->bucket);

        foreach ($report->losses as $position => $loss) {
            if ($loss->isAlarming && ! $loss->isKnown && ! isset($this->loggedLosses[$report->bucket][$position])) {
                $this->loggedLosses[$report->bucket][$position] = true;
                $this->write('error', "spool: bucket {$report->bucket} at {$position}.");
            }
        }

        if ($report->redelivered > 0) {
            $this->write(
                'warning',
                "spool: bucket '{$report->bucket}': ".TerminalText::count($report->redelivered, 'event')
                    .' that had been delivered are not in the database, which was restored from an older backup.'
                    .' Those that are still on this disk are delivered again.',
            );
        }

        if ($report->failure === null) {
            unset($this->loggedLosses[$report->bucket]);
        }

        if ($report->failure !== null || $report->dead > 0) {
            (new FlushEvents($this->spool->notifier()))->notify($report, isLogged: $times > 0);
        }
    }

    /** @param int $times failures that a line stands for; 0 if the log has that line already */
    private function logFailure(FlushReport $report, int $times): void
    {
        $bucket = $report->bucket;
        $retry = $report->retry;

        if ($report->failure === null && $report->interrupted !== null) {
            $this->write('warning', "spool: bucket '{$bucket}': {$report->interrupted->reason}");
        }

        if ($times > 0) {
            $what = $report->isDelivered() ? 'is partially delivered' : 'is not delivered';
            $this->write(
                'error',
                "spool: bucket '{$bucket}' {$what}: {$report->reason()}"
                    .($times > 1 ? " This failure has occurred {$times} times since the last log line about it." : ''),
            );
        } elseif ($retry?->attempts === RetryState::DOWN_AFTER) {
            $this->write(
                'critical',
                "spool: bucket '{$bucket}' has failed {$retry->attempts} times in a row since "
                    .gmdate('Y-m-d H:i:s', intdiv($retry->since, 1_000_000))
                    ." UTC; its events wait. Last failure: {$retry->reason}",
            );
        } elseif (
            ($report->recovered !== null
                || ($report->failure === null && $report->waiting === null && isset($this->failing[$bucket])))
            && $this->limit()->take($bucket, 'recovered', 1) > 0
        ) {
            $this->write('info', "spool: bucket '{$bucket}' is delivered again.");
        }

        if ($report->failure !== null && $retry === null) {
            $this->failing[$bucket] = $report->failure::class;
        } else {
            unset($this->failing[$bucket]);
        }

        if (
            $retry !== null
            && $report->failure instanceof RetryLater
            && $report->failure->retryAfter() > Backoff::MAX_RETRY_AFTER
        ) {
            $this->write(
                'warning',
                "spool: the server of bucket '{$bucket}' asked for a retry after {$report->failure->retryAfter()} s."
                    .' That exceeds'
                    .' the limit, so the bucket is retried after '.Backoff::MAX_RETRY_AFTER.' s.',
            );
        }

        if (($dead = $this->limit()->take($bucket, 'dead', $report->dead)) > 0) {
            $first = $report->dead > 0 ? " First reason: {$report->firstDeath}" : '';
            $this->write(
                'error',
                "spool: bucket '{$bucket}': ".TerminalText::count($dead, 'new dead letter')
                    .".{$first} See `spool:failed {$bucket}`.",
            );
        }
    }

    /** @return int number of failures that the line reports; 0 when no line is due */
    private function timesToLog(FlushReport $report, Throwable $failure): int
    {
        $isNew = $report->retry === null
            ? ($this->failing[$report->bucket] ?? null) !== $failure::class
            : $report->retry->attempts === ($report->interrupted === null ? 1 : 2);

        return $this->limit()->take($report->bucket, $failure::class, $isNew ? 1 : 0);
    }

    private function limit(): LogThrottle
    {
        $store = $this->spool->store();

        return new LogThrottle($store->root, $store->permissions, $this->spool->clock());
    }

    /** A log that cannot be written, on a full disk for example, must not stop the flush of the other buckets. */
    private function write(string $level, string $message): void
    {
        $message = TerminalText::line($this->spool->advice($message));

        try {
            $this->spool->logger()->log($level, $message);
        } catch (Throwable $e) {
            PhpRestrictions::call(
                'error_log',
                TerminalText::line("{$message} (The application's log failed: {$e->getMessage()})"),
            );
        }
    }
}
