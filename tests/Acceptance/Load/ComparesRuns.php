<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Load;

use Headroom\Process\Programs;
use Headroom\Process\TemporaryDirectory;
use Symfony\Component\Process\Process;

/**
 * Results of runs whose figures are as the test wants them, and `load:compare` of two.
 */
trait ComparesRuns
{
    private TemporaryDirectory $directory;

    protected function setUp(): void
    {
        $this->directory = TemporaryDirectory::create('compare');
    }

    protected function tearDown(): void
    {
        $this->directory->remove();
    }

    /**
     * @param list<int> $slots their p50
     * @param array<string, mixed> $more
     */
    private function write(string $name, int $p50, array $slots, array $more = []): void
    {
        $this->directory->write($name, json_encode($more + [
            'url' => 'http://127.0.0.1/', 'method' => 'GET', 'plan' => ['concurrency' => 10, 'requests' => null],
            'error_rate' => 0.0, 'requests_per_second' => 1_000.0, 'seconds' => (float) count($slots),
            'sent' => 10_000, 'succeeded' => 10_000, 'unfinished' => 0,
            'latency_us' => ['with_timeouts' => array_fill_keys(['mean', 'p50', 'p90', 'p95', 'p99'], $p50)],
            'timeline' => array_map(
                static fn (int $micros): array => [
                    'seconds' => 1.0,
                    'succeeded' => 100,
                    'errors' => [],
                    'latency_us' => array_fill_keys(['mean', 'p50', 'p90', 'p95', 'p99'], $micros),
                ],
                $slots,
            ),
        ], JSON_THROW_ON_ERROR));
    }

    private function compare(string ...$arguments): Process
    {
        return $this->headroom(
            'load:compare',
            ...array_map(
                fn (string $argument): string
                    => str_ends_with($argument, '.json') ? $this->directory->file($argument) : $argument,
                array_values($arguments),
            ),
        );
    }

    private function headroom(string ...$arguments): Process
    {
        $process = new Process(
            [Programs::php(), dirname(__DIR__, 3).'/bin/headroom', ...array_values($arguments)],
            timeout: 60,
        );
        $process->run();

        return $process;
    }
}
