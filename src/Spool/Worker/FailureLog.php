<?php

declare(strict_types=1);

namespace Headroom\Spool\Worker;

use Headroom\Sink\RetryLater;
use Headroom\Spool\Delivery\Backoff;
use Headroom\Spool\Delivery\FlushReport;
use Headroom\Spool\FileStore\State\LogThrottle;
use Headroom\Spool\Services\SpoolServices;
use Headroom\Spool\Store\RetryState;
use Headroom\Support\PhpRestrictions;
use Headroom\Support\TerminalText;
use Throwable;

/**
 * A bucket's failures and losses in the application's log, once per incident and at most once a minute: a worker that
 * tries each second must not fill a disk. What an incident is, the state file knows, because every scheduled flush is a
 * process of its own; here is remembered only what could not be noted there.
 *
 * @internal
 */
final class FailureLog
{
    /** @var array<string, class-string<Throwable>> by bucket */
    private array $failing = [];

    /**
     * @var array<string, array<string, true>> by bucket: losses that were told and that the next flush meets again,
     *     since this one came to no end
     */
    private array $lost = [];

    public function __construct(private readonly SpoolServices $spool) {}

    public function note(FlushReport $report): void
    {
        $times = $report->failure === null ? 0 : $this->timesToTell($report, $report->failure);
        $this->noteFailure($report, $times);
        $this->spool->writePath()->incidents()->close($report->bucket);

        foreach ($report->losses as $told => $loss) {
            if ($loss->alarming && ! $loss->isKnown && ! isset($this->lost[$report->bucket][$told])) {
                $this->lost[$report->bucket][$told] = true;
                $this->write('error', "spool: bucket {$report->bucket} at {$told}.");
            }
        }

        if ($report->again > 0) {
            $this->write(
                'warning',
                "spool: bucket '{$report->bucket}': ".TerminalText::count($report->again, 'event')
                    .' that had been delivered are delivered again: the database was restored to an older day.',
            );
        }

        if ($report->failure === null) {
            unset($this->lost[$report->bucket]);
        }

        if ($report->failure !== null || $report->dead > 0) {
            (new FlushEvents($this->spool->notifier()))->notify($report, isLogged: $times > 0);
        }
    }

    /** @param int $times failures that a line stands for; 0 if the log has that line already */
    private function noteFailure(FlushReport $report, int $times): void
    {
        $bucket = $report->bucket;
        $trouble = $report->trouble;

        if ($report->failure === null && $report->interrupted !== null) {
            $this->write('warning', "spool: bucket '{$bucket}': {$report->interrupted->reason}");
        }

        if ($times > 0) {
            $what = $report->isDelivered() ? 'is delivered but for a part' : 'is not delivered';
            $this->write(
                'error',
                "spool: bucket '{$bucket}' {$what}: {$report->reason()}"
                    .($times > 1 ? " It has happened {$times} times since it was logged last." : ''),
            );
        } elseif ($trouble?->attempts === RetryState::DOWN_AFTER) {
            $this->write(
                'critical',
                "spool: bucket '{$bucket}' has failed {$trouble->attempts} times in a row since "
                    .gmdate('Y-m-d H:i:s', intdiv($trouble->since, 1_000_000))
                    ." UTC; its events wait. The last reason: {$trouble->reason}",
            );
        } elseif (
            ($report->recovered !== null
                || ($report->failure === null && $report->waiting === null && isset($this->failing[$bucket])))
            && $this->limit()->take($bucket, 'recovered', 1) > 0
        ) {
            $this->write('info', "spool: bucket '{$bucket}' is delivered again.");
        }

        if ($report->failure !== null && $trouble === null) {
            $this->failing[$bucket] = $report->failure::class;
        } else {
            unset($this->failing[$bucket]);
        }

        if (
            $trouble !== null
            && $report->failure instanceof RetryLater
            && $report->failure->retryAfter() > Backoff::MAX_RETRY_AFTER
        ) {
            $this->write(
                'warning',
                "spool: bucket '{$bucket}' is asked to try again in {$report->failure->retryAfter()} s. That is too long: it tries again in "
                    .Backoff::MAX_RETRY_AFTER.' s.',
            );
        }

        if (($dead = $this->limit()->take($bucket, 'dead', $report->dead)) > 0) {
            $first = $report->dead > 0 ? "the first because: {$report->firstDeath} " : '';
            $this->write(
                'error',
                "spool: bucket '{$bucket}': ".TerminalText::count($dead, 'event')
                    ." refused, now among the dead letters; {$first}See `spool:failed {$bucket}`.",
            );
        }
    }

    /** @return int of how many failures a line is to tell; 0 where it is told already */
    private function timesToTell(FlushReport $report, Throwable $failure): int
    {
        $isNew = $report->trouble === null
            ? ($this->failing[$report->bucket] ?? null) !== $failure::class
            : $report->trouble->attempts === ($report->interrupted === null ? 1 : 2);

        return $this->limit()->take($report->bucket, $failure::class, $isNew ? 1 : 0);
    }

    private function limit(): LogThrottle
    {
        $store = $this->spool->store();

        return new LogThrottle($store->root, $store->permissions, $this->spool->clock());
    }

    /** A log that can not be written, on a full disk say, must not keep the other buckets from their flush. */
    private function write(string $level, string $message): void
    {
        $message = TerminalText::line($this->spool->advice($message));

        try {
            $this->spool->logger()->log($level, $message);
        } catch (Throwable $e) {
            PhpRestrictions::call(
                'error_log',
                TerminalText::line("{$message} (The application's log could not take this: {$e->getMessage()})"),
            );
        }
    }
}
