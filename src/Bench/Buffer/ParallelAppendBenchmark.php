<?php

declare(strict_types=1);

namespace Headroom\Bench\Buffer;

use Closure;
use Headroom\Core\Clock;
use Headroom\Spool\AppendConfig;
use Headroom\Spool\Buffer;
use RuntimeException;

/**
 * Several processes that append at the same time, as the workers of a pool do: events a second, by the slowest of
 * them.
 *
 * @internal
 */
final readonly class ParallelAppendBenchmark
{
    public const PROCESSES = [1, 2, 4, 8];

    private const EVENTS = 10_000;

    /** @param Closure(): bool $isStopped */
    public function __construct(private ScratchDirectory $scratch, private Clock $clock, private Closure $isStopped) {}

    public static function isPossible(): bool
    {
        return function_exists('pcntl_fork') && function_exists('pcntl_waitpid') && function_exists('posix_kill');
    }

    /** @return array<int, array{ours: list<float>, naive: list<float>}> events a second, by the number of processes */
    public function run(float $seconds): array
    {
        $end = $this->clock->monotonicNanos() + (int) (1e9 * $seconds);
        $rates = [];

        for ($round = 0; ($round === 0 || $this->clock->monotonicNanos() < $end) && ! ($this->isStopped)(); $round++) {
            foreach (self::PROCESSES as $processes) {
                $ours = $this->measure($processes, $this->ours(...));
                $naive = $this->measure($processes, $this->naive(...));
                $rates[$processes] ??= ['ours' => [], 'naive' => []];
                $rates[$processes]['ours'][] = $ours;
                $rates[$processes]['naive'][] = $naive;
            }
        }

        return $rates;
    }

    /** @param Closure(string): void $append in a directory */
    private function measure(int $processes, Closure $append): float
    {
        $directory = $this->scratch->directory('parallel');
        $pids = [];

        for ($i = 0; $i < $processes; $i++) {
            $pid = pcntl_fork();

            if ($pid === 0) {
                $this->work($directory, $i, $append);
            }

            $pids[] = $pid > 0 ? $pid : throw new RuntimeException('No process could be started.');
        }

        file_put_contents("{$directory}/go", '');
        array_map(self::await(...), $pids);
        $times = array_map(
            static fn (int $i): mixed => json_decode((string) @file_get_contents("{$directory}/{$i}.json")),
            range(0, $processes - 1),
        );
        $this->scratch->clear('parallel');
        $began = $ended = [];

        foreach ($times as $time) {
            if (! is_array($time) || ! is_int($time[0] ?? null) || ! is_int($time[1] ?? null)) {
                throw new RuntimeException('A process that appends ended too early. Check whether the disk is full.');
            }

            [$began[], $ended[]] = $time;
        }

        return $processes * self::EVENTS / (max(1, max([0, ...$ended]) - min([PHP_INT_MAX, ...$began])) / 1e9);
    }

    /** A signal interrupts the wait, and not the processes. */
    private static function await(int $pid): void
    {
        do {
            $ended = pcntl_waitpid($pid, $status);
        } while ($ended === -1 && pcntl_get_last_error() === PCNTL_EINTR);
    }

    /** @param Closure(string): void $append */
    private function work(string $directory, int $number, Closure $append): never
    {
        try {
            while (! file_exists("{$directory}/go")) {
                clearstatcache();
                $this->clock->sleep(100);
            }

            $began = $this->clock->monotonicNanos();
            $append($directory);
            file_put_contents(
                "{$directory}/{$number}.json",
                json_encode([$began, $this->clock->monotonicNanos()], JSON_THROW_ON_ERROR),
            );
        } finally {
            // Not by its end: the process shares open resources with its parent, and a normal end would close them.
            posix_kill((int) getmypid(), SIGKILL);
        }

        exit(1);
    }

    private function ours(string $directory): void
    {
        $buffer = Buffer::onDisk(AppendConfig::fromArray(['path' => "{$directory}/buffer"]));
        $buffer->hold(function () use ($buffer): void {
            for ($i = 0; $i < self::EVENTS; $i++) {
                $buffer->buffer(AppendBenchmark::event($i), 'events');
            }
        });
    }

    private function naive(string $directory): void
    {
        for ($i = 0; $i < self::EVENTS; $i++) {
            file_put_contents(
                "{$directory}/events.log",
                json_encode(AppendBenchmark::event($i), JSON_THROW_ON_ERROR)."\n",
                FILE_APPEND | LOCK_EX,
            );
        }
    }
}
