<?php

declare(strict_types=1);

namespace Headroom\Spool;

use Headroom\Core\HostLimits;
use Headroom\Core\Printable;
use Headroom\Sink\RetryLater;
use Headroom\Spool\Flush\Backoff;
use Headroom\Spool\Flush\FlushReport;
use Throwable;

/**
 * A bucket's failures and losses in the application's log, once per incident: a worker that tries each second must not
 * fill a disk. What an incident is, the state file knows, because every scheduled flush is a process of its own; here
 * is remembered only what could not be noted there.
 *
 * @internal
 */
final class FailureLog
{
    /** A sink that takes something each time before it fails begins an incident with each flush. */
    private const NANOS_BETWEEN = 60_000_000_000;

    /** @var array<string, class-string<Throwable>> by bucket */
    private array $failing = [];

    /** @var array<string, array{class-string<Throwable>, int}> by bucket: what was told last, and when, nanoseconds */
    private array $told = [];

    /** @var array<string, array<string, true>> by bucket: losses that were told and that the next flush meets again, since this one came to no end */
    private array $lost = [];

    public function __construct(private readonly Runtime $spool) {}

    public function note(FlushReport $report): void
    {
        $this->noteFailure($report);
        $this->spool->writePath()->incidents()->close($report->bucket);

        foreach ($report->losses as $told => $loss) {
            if ($loss->alarming && ! $loss->isKnown && ! isset($this->lost[$report->bucket][$told])) {
                $this->lost[$report->bucket][$told] = true;
                $this->write('error', "spool: bucket {$report->bucket} at {$told}.");
            }
        }

        if ($report->again > 0) {
            $this->write('warning', "spool: bucket '{$report->bucket}': ".Printable::count($report->again, 'event').' that had been delivered are delivered again: the database was restored to an older day.');
        }

        if ($report->failure === null) {
            unset($this->lost[$report->bucket]);
        }
    }

    private function noteFailure(FlushReport $report): void
    {
        $trouble = $report->trouble;

        if ($report->failure === null && $report->interrupted !== null) {
            $this->write('warning', "spool: bucket '{$report->bucket}': {$report->interrupted->reason}");
        }

        if ($report->failure !== null && ($trouble === null ? ($this->failing[$report->bucket] ?? null) !== $report->failure::class : $trouble->attempts === ($report->interrupted === null ? 1 : 2) && $this->isNews($report->bucket, $report->failure))) {
            $what = $report->isDelivered() ? 'is delivered but for a part' : 'is not delivered';
            $this->write('error', "spool: bucket '{$report->bucket}' {$what}: {$report->reason()}");
        } elseif ($trouble?->attempts === Trouble::DOWN_AFTER) {
            $this->write('critical', "spool: bucket '{$report->bucket}' has failed {$trouble->attempts} times in a row since ".gmdate('Y-m-d H:i:s', intdiv($trouble->since, 1_000_000))." UTC; its events wait. The last reason: {$trouble->reason}");
        } elseif ($report->recovered !== null || ($report->failure === null && $report->waiting === null && isset($this->failing[$report->bucket]))) {
            unset($this->told[$report->bucket]);
            $this->write('info', "spool: bucket '{$report->bucket}' is delivered again.");
        }

        if ($report->failure !== null && $trouble === null) {
            $this->failing[$report->bucket] = $report->failure::class;
        } else {
            unset($this->failing[$report->bucket]);
        }

        if ($trouble !== null && $report->failure instanceof RetryLater && $report->failure->retryAfter() > Backoff::MAX_RETRY_AFTER) {
            $this->write('warning', "spool: bucket '{$report->bucket}' is asked to try again in {$report->failure->retryAfter()} s. That is too long: it tries again in ".Backoff::MAX_RETRY_AFTER.' s.');
        }

        if ($report->dead > 0) {
            $this->write('error', "spool: bucket '{$report->bucket}': ".Printable::count($report->dead, 'event')." refused, now among the dead letters; the first because: {$report->firstDeath} See `php artisan spool:dead {$report->bucket}`.");
        }
    }

    private function isNews(string $bucket, Throwable $failure): bool
    {
        $now = $this->spool->clock()->monotonicNanos();
        [$class, $then] = $this->told[$bucket] ?? [null, 0];

        if ($class === $failure::class && $now - $then < self::NANOS_BETWEEN) {
            return false;
        }

        $this->told[$bucket] = [$failure::class, $now];

        return true;
    }

    /** A log that can not be written, on a full disk say, must not keep the other buckets from their flush. */
    private function write(string $level, string $message): void
    {
        $message = Printable::line($message);

        try {
            $this->spool->logger()->log($level, $message);
        } catch (Throwable $e) {
            HostLimits::call('error_log', Printable::line("{$message} (The application's log could not take this: {$e->getMessage()})"));
        }
    }
}
