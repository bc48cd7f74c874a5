<?php

declare(strict_types=1);

namespace Headroom\Collector\Server\Metrics;

use Headroom\Collector\Server\StateDirectory;

/**
 * The metrics of all processes of a collector, in files of its state directory. Each process publishes its own file.
 * One more file has the sums of exited processes and their ids. A reader that reads the running processes first and the
 * sums second counts each process exactly once, so no counter ever decreases.
 *
 * @internal
 */
final readonly class MetricsFiles
{
    /** File name on disk of the sums of exited processes. */
    private const EXITED = 'dead';

    /** While a collector replaces another one, both publish the numbers of the same buffer. */
    private const NOT_ADDED = '/\A(?:headroom_loop_lag_|headroom_spool_|headroom_sink_|target_info)/';

    /** A reader may still hold the values of a process that exited a moment ago. */
    private const MAX_EXITED_IDS = 500;

    public function __construct(private StateDirectory $stateDirectory) {}

    /**
     * @param string $id unique to this process
     * @param array<string, int|float> $counters
     * @param array<string, int|float> $gauges
     */
    public function publish(string $id, array $counters, array $gauges = []): void
    {
        $this->stateDirectory->write("metrics/{$id}", ['counters' => $counters, 'gauges' => $gauges]);
    }

    /**
     * Adds the counters of exited processes to the sums. Only the supervisor calls it.
     *
     * @param list<string> $exited ids
     */
    public function mergeExited(array $exited): void
    {
        $sums = $this->stateDirectory->read('metrics/'.self::EXITED);
        $counters = self::numbers($sums['counters'] ?? null);
        $ids = self::texts($sums['ids'] ?? null);
        $merged = [];

        foreach (array_diff($exited, [self::EXITED]) as $id) {
            $file = in_array($id, $ids, true) ? [] : $this->stateDirectory->read("metrics/{$id}");

            foreach (self::numbers($file['counters'] ?? null) as $series => $number) {
                $counters[$series] = ($counters[$series] ?? 0) + $number;
            }

            $merged[] = $id;
        }

        $ids = array_slice([...$ids, ...array_diff($merged, $ids)], -self::MAX_EXITED_IDS);

        if (
            $merged !== []
            && $this->stateDirectory->write('metrics/'.self::EXITED, ['counters' => $counters, 'ids' => $ids])
        ) {
            foreach ($merged as $id) {
                $this->stateDirectory->remove("metrics/{$id}");
            }
        }
    }

    /** @return array<string, int|float> the values of all processes, by series */
    public function sum(): array
    {
        $gauges = [];
        $parts = [];

        foreach ($this->stateDirectory->names('metrics') as $id) {
            $parts[$id] = $id === self::EXITED ? [] : $this->stateDirectory->read("metrics/{$id}");
        }

        $sums = $this->stateDirectory->read('metrics/'.self::EXITED);
        $all = self::numbers($sums['counters'] ?? null);

        foreach ((new SapiCounters(
            "{$this->stateDirectory->path}/".SapiCounters::DIRECTORY,
        ))->sum() as $series => $number) {
            $all[$series] = ($all[$series] ?? 0) + $number;
        }

        foreach (array_diff_key($parts, array_flip(self::texts($sums['ids'] ?? null))) as $part) {
            foreach (self::numbers($part['counters'] ?? null) as $series => $number) {
                $all[$series] = ($all[$series] ?? 0) + $number;
            }

            foreach (self::numbers($part['gauges'] ?? null) as $series => $number) {
                $gauges[$series] = preg_match(self::NOT_ADDED, $series) === 1
                    ? max($gauges[$series] ?? $number, $number)
                    : ($gauges[$series] ?? 0) + $number;
            }
        }

        return $all + $gauges;
    }

    /** @return array<string, int|float> */
    private static function numbers(mixed $value): array
    {
        $numbers = [];

        foreach (is_array($value) ? $value : [] as $series => $number) {
            if (is_int($number) || is_float($number)) {
                $numbers[(string) $series] = $number;
            }
        }

        return $numbers;
    }

    /** @return list<string> */
    private static function texts(mixed $value): array
    {
        return array_values(array_filter(is_array($value) ? $value : [], is_string(...)));
    }
}
