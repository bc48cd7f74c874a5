<?php

declare(strict_types=1);

namespace Headroom\Laravel\Http\Dashboard\Data;

use Headroom\Core\HeadroomException;
use Headroom\Spool\Services\SpoolServices;

/**
 * The last minutes of buckets on this machine, from the files that flushes write.
 *
 * @internal
 */
final readonly class HistoryDocument
{
    public const MINUTES = [60, 360, 1_440];

    /** A day of single minutes has more points than a screen. */
    private const LONG = 1_440;

    private const LONG_STEP = 5;

    /** The lines of all buckets together. More would be a megabyte for two hundred buckets. */
    private const OF_ALL = ['accepted' => 0, 'delivered' => 0, 'pending' => 0];

    /** Minutes before the first one in which its counters were last seen. */
    private const LOOK_BACK = 30;

    public function __construct(private SpoolServices $spool) {}

    /**
     * @param list<string> $buckets
     * @param bool $isOfAll leaves out buckets without a flush in this time, and what only the page of a bucket draws
     * @return array<string, mixed>
     */
    public function toArray(array $buckets, int $minutes, bool $isOfAll): array
    {
        $step = $minutes === self::LONG ? self::LONG_STEP : 1;
        $now = intdiv($this->spool->clock()->micros(), 60_000_000);
        $to = intdiv($now, $step) * $step + $step;
        $from = $to - $minutes;
        $series = [];

        foreach ($buckets as $bucket) {
            $seen = $this->seen($bucket, $from, $to);

            if ($isOfAll && $seen === []) {
                continue;
            }

            $isAlone = ! $this->spool->stores()->isOnRedis($bucket);
            $lines = HistorySeries::of($seen, $from, $to, $isAlone)->toArray($step);
            $series[$bucket] = $isOfAll ? array_intersect_key($lines, self::OF_ALL) : $lines;
        }

        return ['from' => $from, 'to' => $to, 'step' => $step, 'buckets' => (object) $series];
    }

    /** @return array<int, \Headroom\Spool\History\HistoryMinute> */
    private function seen(string $bucket, int $from, int $to): array
    {
        try {
            return $this->spool->historyOf($bucket)->minutes($from - self::LOOK_BACK, $to - 1);
        } catch (HeadroomException) {
            return []; // data/now shows the error of the bucket.
        }
    }
}
