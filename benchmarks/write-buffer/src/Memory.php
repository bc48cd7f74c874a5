<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\WriteBuffer;

use RuntimeException;

/**
 * The memory of spool:flush and spool:status for many events, above that of the same command without events.
 */
final readonly class Memory
{
    /**
     * @param non-empty-list<int> $counts rising
     * @param callable(string): void $log
     */
    public function __construct(private array $counts, private mixed $log) {}

    /**
     * @param array<string, array<string, string>> $databases DB_* variables by driver
     * @return array<string, array<int, array<string, array<string, float>>>> by driver, events and command
     */
    public function run(array $databases): array
    {
        $figures = [];

        foreach ($this->counts as $count) {
            $sealed = SealedEvents::make($count);

            try {
                foreach ($databases as $driver => $variables) {
                    $figures[$driver][$count] = $this->of($sealed, $count, $variables);
                    $flush = $figures[$driver][$count]['flush'];
                    ($this->log)(sprintf(
                        '  %-8s %9d events: flush %.1f MB above %.1f (resident %.1f above %.1f)',
                        $driver,
                        $count,
                        $flush['php_mb'],
                        $flush['php_base_mb'],
                        $flush['resident_mb'],
                        $flush['resident_base_mb'],
                    ));
                }
            } finally {
                $sealed->remove();
            }
        }

        return $figures;
    }

    /**
     * @param array<string, string> $variables
     * @return array<string, array<string, float>>
     */
    private function of(SealedEvents $sealed, int $count, array $variables): array
    {
        $application = new Application($variables);

        try {
            SealedEvents::makeEmpty($application->buffer());
            [$flushBase, $statusBase] = [$this->flush($application, 0), $this->status($application, 0)];
            $application->discardBuffer();
            $sealed->copyTo($application->buffer());
            $status = $this->status($application, $count);
            $flush = $this->flush($application, $count);
            $this->status($application, 0);
        } finally {
            $application->remove();
        }

        return ['flush' => $this->above($flush, $flushBase), 'status' => $this->above($status, $statusBase)];
    }

    /** @return array{output: string, seconds: float, php: int, resident: int} */
    private function flush(Application $application, int $expected): array
    {
        $run = $application->measure('spool:flush', SealedEvents::BUCKET);

        return $expected === 0
                || str_contains($run['output'], (string) $expected)
                || str_contains($run['output'], number_format($expected))
            ? $run
            : throw new RuntimeException("spool:flush should have delivered {$expected}: {$run['output']}");
    }

    /** @return array{output: string, seconds: float, php: int, resident: int} */
    private function status(Application $application, int $pending): array
    {
        $run = $application->measure('spool:status', '--json');
        $buckets = array_column(
            json_decode($run['output'], true, flags: JSON_THROW_ON_ERROR)['buckets'],
            'pending',
            'bucket',
        );

        return $buckets[SealedEvents::BUCKET] === $pending
            ? $run
            : throw new RuntimeException("spool:status should have counted {$pending}: {$run['output']}");
    }

    /**
     * @param array{output: string, seconds: float, php: int, resident: int} $run
     * @param array{output: string, seconds: float, php: int, resident: int} $base
     * @return array<string, float>
     */
    private function above(array $run, array $base): array
    {
        $mb = static fn (int $bytes): float => round($bytes / 1_048_576, 2);

        return [
            'php_mb' => $mb($run['php'] - $base['php']),
            'php_base_mb' => $mb($base['php']),
            'resident_mb' => $mb($run['resident'] - $base['resident']),
            'resident_base_mb' => $mb($base['resident']),
            'seconds' => round($run['seconds'], 3),
            'base_seconds' => round($base['seconds'], 3),
        ];
    }
}
