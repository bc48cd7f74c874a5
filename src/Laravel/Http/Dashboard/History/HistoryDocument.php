<?php

declare(strict_types=1);

namespace Headroom\Laravel\Http\Dashboard\History;

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

    /** Minutes before the first one in which its counters were last seen. */
    private const LOOK_BACK = 30;

    /** A mean or a maximum of one bucket has no sum. */
    private const SUMMED = ['accepted', 'delivered', 'dead', 'dropped', 'pending', 'flushes', 'failed', 'batches'];

    public function __construct(private SpoolServices $spool) {}

    /** @return array<string, mixed> */
    public function of(string $bucket, int $minutes): array
    {
        [$from, $to, $step] = $this->range($minutes);

        return self::document($from, $to, $step, [$bucket => $this->series($bucket, $from, $to)->toArray($step)]);
    }

    /**
     * The sum of all buckets, as one entry `*`: the answer has one size, however many buckets there are.
     *
     * @param list<string> $buckets
     * @return array<string, mixed>
     */
    public function sum(array $buckets, int $minutes): array
    {
        [$from, $to, $step] = $this->range($minutes);
        $sums = [];

        foreach ($buckets as $bucket) {
            foreach ($this->series($bucket, $from, $to)->toArray($step) as $name => $values) {
                foreach (in_array($name, self::SUMMED, true) ? $values : [] as $at => $value) {
                    $sum = $sums[$name][$at] ?? null;
                    $sums[$name][$at] = $value === null ? $sum : $value + ($sum ?? 0);
                }
            }
        }

        return self::document($from, $to, $step, $sums === [] ? [] : ['*' => $sums]);
    }

    /**
     * @param array<string, mixed> $series by bucket
     * @return array<string, mixed>
     */
    private static function document(int $from, int $to, int $step, array $series): array
    {
        return ['from' => $from, 'to' => $to, 'step' => $step, 'buckets' => (object) $series];
    }

    /** @return array{int, int, int} the first minute, the minute after the last one, and minutes of a point */
    private function range(int $minutes): array
    {
        $step = $minutes === self::LONG ? self::LONG_STEP : 1;
        $now = intdiv($this->spool->clock()->micros(), 60_000_000);
        $to = intdiv($now, $step) * $step + $step;

        return [$to - $minutes, $to, $step];
    }

    private function series(string $bucket, int $from, int $to): HistorySeries
    {
        $isAlone = ! $this->spool->stores()->isOnRedis($bucket);

        return HistorySeries::of($this->seen($bucket, $from, $to), $from, $to, $isAlone);
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
