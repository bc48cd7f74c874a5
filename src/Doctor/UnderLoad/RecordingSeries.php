<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad;

use Headroom\Doctor\UnderLoad\Samplers\RedisSnapshot;
use Headroom\Doctor\UnderLoad\Samplers\Snapshot;
use Headroom\Doctor\UnderLoad\Waits\Wait;
use Headroom\Doctor\UnderLoad\Waits\WaitKind;

/**
 * The recording as lines of a chart: milliseconds from the first sample, load and samples on one clock.
 *
 * @internal
 */
final readonly class RecordingSeries
{
    private int $start;

    public function __construct(private Recording $recording)
    {
        $this->start = $recording->before[0]->atNanos ?? $recording->during[0]->atNanos ?? 0;
    }

    /** @return list<TimeSeries> those of which anything is known */
    public function series(): array
    {
        $maxChildren = $this->recording->maxChildren;

        return array_values(array_filter([
            new TimeSeries('response time, ms', $this->responseTimes()),
            new TimeSeries('wait for a process', $this->waiting()),
            new TimeSeries('busy processes', $this->busy(), $maxChildren === null ? null : (float) $maxChildren),
            new TimeSeries('CPU time used, %', $this->cpu(), 100.0),
        ], static fn (TimeSeries $series): bool => $series->known() !== []));
    }

    /**
     * The common end of the time axes, in seconds.
     *
     * @param list<TimeSeries> $allSeries
     */
    public static function end(array $allSeries): float
    {
        return max([0.001, ...array_map(static fn (TimeSeries $series): float => $series->end(), $allSeries)]);
    }

    /** @return list<array{float, ?float}> seconds, and milliseconds of the mean answer */
    private function responseTimes(): array
    {
        $traffic = $this->recording->traffic;
        $from = $traffic?->startedNanos === null ? 0.0 : ($traffic->startedNanos - $this->start) / 1e9;

        return array_map(
            static fn (TimeSlice $slice): array => [$from + $slice->from, $slice->meanMs],
            $traffic->slices ?? [],
        );
    }

    /** @return list<array{float, ?float}> seconds, and connections that wait */
    private function waiting(): array
    {
        return array_map(
            fn (Snapshot $sample): array
                => [$this->seconds($sample), $sample->pool?->waiting === null ? null : (float) $sample->pool->waiting],
            $this->samples(),
        );
    }

    /** @return list<array{float, ?float}> seconds, and busy processes */
    private function busy(): array
    {
        return array_map(
            fn (Snapshot $sample): array => [
                $this->seconds($sample),
                $sample->waits === null
                    ? null
                    : (float) count(array_filter(
                        $sample->waits,
                        static fn (Wait $wait): bool => $wait->kind !== WaitKind::Idle,
                    )),
            ],
            $this->samples(),
        );
    }

    /** @return list<array{float, ?float}> seconds, and percent of all CPU time since the sample before */
    private function cpu(): array
    {
        $points = [];
        $before = null;

        foreach ($this->samples() as $sample) {
            $all = $before === null || $sample->cpu === null ? 0 : $sample->cpu->all - $before->all;
            $idle = $before === null || $sample->cpu === null ? 0 : $sample->cpu->idle - $before->idle;
            $points[] = [$this->seconds($sample), $all <= 0 ? null : round(100 * (1 - $idle / $all), 1)];
            $before = $sample->cpu ?? $before;
        }

        return $points;
    }

    /** @return array<string, mixed> */
    public function toArray(): array
    {
        $samples = $this->samples();

        return [
            'from_ms' => 0,
            'load_from_ms' => $this->recording->traffic?->startedNanos === null
                ? null
                : intdiv($this->recording->traffic->startedNanos - $this->start, 1_000_000),
            'at_ms' => array_map(fn (Snapshot $sample): int => (int) (1_000 * $this->seconds($sample)), $samples),
            'waiting' => array_map(self::value(...), $this->waiting()),
            'busy' => array_map(self::value(...), $this->busy()),
            'cpu_percent' => array_map(self::value(...), $this->cpu()),
            'states' => array_map(
                static fn (Snapshot $sample): ?object
                    => $sample->waits === null ? null : (object) self::states($sample->waits),
                $samples,
            ),
            'redis' => array_map(
                static fn (Snapshot $sample): array => array_map(
                    static fn (RedisSnapshot $snapshot): array => [
                        'place' => $snapshot->place,
                        'connections' => $snapshot->connections,
                        'commands' => $snapshot->commands,
                        'clients' => $snapshot->clients,
                    ],
                    $sample->redis,
                ),
                $samples,
            ),
            'database' => array_map(
                static fn (Snapshot $sample): ?array => $sample->database === null
                    ? null
                    : [
                        'connections' => $sample->database->connections,
                        'statements' => $sample->database->statements,
                        'running' => $sample->database->running,
                        'connected' => $sample->database->connected,
                        'lock_waits' => $sample->database->lockWaits,
                    ],
                $samples,
            ),
            'response_times' => array_map(
                static fn (array $point): array => ['at_ms' => (int) (1_000 * $point[0]), 'mean_ms' => $point[1]],
                $this->responseTimes(),
            ),
        ];
    }

    /** @return list<Snapshot> */
    private function samples(): array
    {
        return array_merge($this->recording->before, $this->recording->during);
    }

    private function seconds(Snapshot $sample): float
    {
        return ($sample->atNanos - $this->start) / 1e9;
    }

    /** @param array{float, ?float} $point */
    private static function value(array $point): ?float
    {
        return $point[1];
    }

    /**
     * @param list<Wait> $waits
     * @return array<string, int>
     */
    private static function states(array $waits): array
    {
        $states = [];

        foreach ($waits as $wait) {
            $states[$wait->kind->value] = ($states[$wait->kind->value] ?? 0) + 1;
        }

        return $states;
    }
}
