<?php

declare(strict_types=1);

namespace Headroom\Spool\Worker;

use Headroom\Core\HeadroomException;
use Headroom\Spool\Cron;
use Headroom\Spool\Services\SpoolServices;

/**
 * Decides which buckets may be flushed now when no bucket is named. Times are seconds since the Unix epoch.
 *
 * @internal
 */
final readonly class DueBuckets
{
    /**
     * At a bucket's scheduled time the scheduler starts a flush of that bucket. For this long the flush may not have
     * begun, so it does not count as missed.
     */
    private const GRACE_SECONDS = 60;

    public function __construct(private SpoolServices $spool) {}

    /**
     * Buckets for the flush of each minute: all without a schedule of their own, and those whose scheduled flush was
     * interrupted or missed. A sink that was down at eight in the morning, a limit, or a machine that was off must not
     * delay the events by a day.
     *
     * @return list<string>
     */
    public function eachMinute(): array
    {
        return array_values(array_filter($this->spool->config()->names(), function (string $name): bool {
            $schedule = $this->schedule($name);

            return $schedule instanceof Cron
                ? $this->isInProgress($name)
                    || $this->isMissed(
                        $name,
                        $schedule,
                        intdiv($this->spool->clock()->micros(), 1_000_000) - self::GRACE_SECONDS,
                    )
                : $schedule;
        }));
    }

    /**
     * For a worker, which also flushes buckets that are not on the schedule.
     *
     * @param ?int $lookedAt null: this process has not looked yet, and the process before it may have missed a time
     */
    public function isDue(string $bucket, ?int $lookedAt, int $now): bool
    {
        $schedule = $this->schedule($bucket);

        return ! $schedule instanceof Cron
            || $this->isInProgress($bucket)
            || ($lookedAt === null ? $this->isMissed($bucket, $schedule, $now) : $schedule->lastAt($now) > $lookedAt);
    }

    /** Whether an event of this age should have been delivered by a flush on schedule. */
    public function isLate(string $bucket, float $seconds, int $patience): bool
    {
        $schedule = $this->schedule($bucket);
        $now = intdiv($this->spool->clock()->micros(), 1_000_000);

        return $schedule instanceof Cron ? $now - $seconds < $schedule->lastAt($now - $patience) : $seconds > $patience;
    }

    /** Returns true for a bucket with an invalid configuration: the flush of each minute reports it. */
    public function schedule(string $bucket): Cron|bool
    {
        try {
            return $this->spool->config()->bucket($bucket)->schedule ?? true;
        } catch (HeadroomException) {
            return true;
        }
    }

    /** Whether the next event was accepted before the last scheduled time. False when the events cannot be read. */
    private function isMissed(string $bucket, Cron $schedule, int $now): bool
    {
        if ($this->spool->isUntouched($bucket)) {
            return false;
        }

        try {
            foreach ($this->spool->bucketTools($bucket)->peek()->events(static fn (): null => null) as $event) {
                // A damaged range has no time.
                if ($event->acceptedAt > 0) {
                    return $event->acceptedAt < 1_000_000 * $schedule->lastAt($now);
                }
            }
        } catch (HeadroomException) {
            // The next flush reports the failure.
        }

        return false;
    }

    private function isInProgress(string $bucket): bool
    {
        return ! $this->spool->isUntouched($bucket) && $this->spool->stores()->isUnfinished($bucket);
    }
}
