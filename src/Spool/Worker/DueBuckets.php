<?php

declare(strict_types=1);

namespace Headroom\Spool\Worker;

use Headroom\Core\HeadroomException;
use Headroom\Spool\Cron;
use Headroom\Spool\Services\SpoolServices;

/**
 * Which buckets may be flushed now, when nobody has asked for one by its name. Times are seconds since the Unix epoch.
 *
 * @internal
 */
final readonly class DueBuckets
{
    /** Beside the flush of each minute the scheduler starts one at the bucket's time, which may just have begun. */
    private const GRACE_SECONDS = 60;

    public function __construct(private SpoolServices $spool) {}

    /**
     * For the flush of each minute: all buckets without times of their own, and of those with some what has been begun
     * or was missed, so that a sink that was down at eight in the morning, a limit,
     * or a machine that was off does not cost a day.
     *
     * @return list<string>
     */
    public function eachMinute(): array
    {
        return array_values(array_filter($this->spool->config()->names(), function (string $name): bool {
            $schedule = $this->schedule($name);

            return $schedule instanceof Cron
                ? $this->isBegun($name)
                    || $this->isMissed(
                        $name,
                        $schedule,
                        intdiv($this->spool->clock()->micros(), 1_000_000) - self::GRACE_SECONDS,
                    )
                : $schedule;
        }));
    }

    /**
     * For a worker, which also takes what is not on the schedule.
     *
     * @param ?int $lookedAt null: this process has not looked yet, and who was there before may have missed a time
     */
    public function isDue(string $bucket, ?int $lookedAt, int $now): bool
    {
        $schedule = $this->schedule($bucket);

        return ! $schedule instanceof Cron
            || $this->isBegun($bucket)
            || ($lookedAt === null ? $this->isMissed($bucket, $schedule, $now) : $schedule->lastAt($now) > $lookedAt);
    }

    /** Whether something that is so old should have been delivered, had somebody flushed in time. */
    public function isLate(string $bucket, float $seconds, int $patience): bool
    {
        $schedule = $this->schedule($bucket);
        $now = intdiv($this->spool->clock()->micros(), 1_000_000);

        return $schedule instanceof Cron ? $now - $seconds < $schedule->lastAt($now - $patience) : $seconds > $patience;
    }

    /** One that is declared wrongly belongs to the flush of each minute, which says so. */
    public function schedule(string $bucket): Cron|bool
    {
        try {
            return $this->spool->config()->bucket($bucket)->schedule ?? true;
        } catch (HeadroomException) {
            return true;
        }
    }

    /** What comes next was accepted before the last of its times, and is still there. In doubt no. */
    private function isMissed(string $bucket, Cron $schedule, int $now): bool
    {
        if ($this->spool->isUntouched($bucket)) {
            return false;
        }

        try {
            foreach ($this->spool->view($bucket)->peek()->events(static fn (): null => null) as $event) {
                // Damage has no time.
                if ($event->acceptedAt > 0) {
                    return $event->acceptedAt < 1_000_000 * $schedule->lastAt($now);
                }
            }
        } catch (HeadroomException) {
            // Whoever flushes it is told.
        }

        return false;
    }

    private function isBegun(string $bucket): bool
    {
        return ! $this->spool->isUntouched($bucket) && $this->spool->stores()->isBegun($bucket);
    }
}
