<?php

declare(strict_types=1);

namespace Headroom\Spool;

use Headroom\Core\HeadroomException;

/**
 * Which buckets may be flushed now, when nobody has asked for one by its name. Times are seconds since the Unix epoch.
 *
 * @internal
 */
final readonly class Timetable
{
    public function __construct(private Runtime $spool) {}

    /**
     * For the flush of each minute: all buckets without times of their own, and of those with some what has been begun, so
     * that a sink that was down at eight in the morning, or a limit, does not cost a day.
     *
     * @return list<string>
     */
    public function eachMinute(): array
    {
        return array_values(array_filter($this->spool->config()->names(), function (string $name): bool {
            $schedule = $this->schedule($name);

            return $schedule instanceof Cron ? $this->isBegun($name) : $schedule;
        }));
    }

    /** For a worker, which also takes what is not on the schedule. */
    public function isDue(string $bucket, int $lookedAt, int $now): bool
    {
        $schedule = $this->schedule($bucket);

        return ! $schedule instanceof Cron || $this->isBegun($bucket) || $schedule->lastAt($now) > $lookedAt;
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

    private function isBegun(string $bucket): bool
    {
        return ! $this->spool->isUntouched($bucket) && $this->spool->stores()->isBegun($bucket);
    }
}
