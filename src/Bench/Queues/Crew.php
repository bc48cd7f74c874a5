<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues;

use Headroom\Bench\Queues\Results\Fault;
use Headroom\Core\Clock;
use Headroom\Process\ChildProcess;
use Headroom\Process\ProcessOptions;
use Headroom\Process\Signal;
use Headroom\Process\Stoppable;
use Headroom\Process\TemporaryDirectory;
use Headroom\Process\UnableToFindProgram;
use Headroom\Process\UnableToStart;

/**
 * The worker processes of one run.
 *
 * @internal
 */
final class Crew implements Stoppable
{
    private const READY_SECONDS = 60;

    private const POLL_MICROS = 5_000;

    private const LOG_LINES = 3;

    /** @param list<ChildProcess> $workers */
    private function __construct(
        private readonly DriverUnderTest $contender,
        private readonly TemporaryDirectory $place,
        private readonly array $workers,
        private readonly Clock $clock,
    ) {}

    /**
     * They boot, and wait at the barrier.
     *
     * @param non-empty-list<string> $command that starts one; gets the path of what it has to do, and its number
     * @throws UnableToFindProgram
     * @throws UnableToStart
     */
    public static function start(
        DriverUnderTest $contender,
        array $command,
        TemporaryDirectory $place,
        string $barrier,
        Clock $clock,
    ): self {
        $orders = $place->write('orders.json', json_encode([
            ...$contender->work,
            'directory' => $place->path,
            'barrier' => $barrier,
            'tries' => $contender->variant->workload->tries,
            'sleep' => $contender->variant->workload->sleep,
            'workers' => $contender->variant->workload->workers,
            'staggered' => $contender->variant->workload->arrivals !== null,
        ], JSON_THROW_ON_ERROR | JSON_PRESERVE_ZERO_FRACTION));
        $workers = [];

        for ($number = 1; $number <= $contender->variant->workload->workers; $number++) {
            // There is nothing to be polite about: when they are ended, all jobs are done or the run is lost.
            $workers[] = ChildProcess::start(
                new ProcessOptions(
                    "worker {$number}",
                    [
                        ...$command,
                        $orders,
                        (string) $number,
                        ...($contender->variant->workload->isQuiet ? ['--quiet'] : []),
                    ],
                    $place->file("worker-{$number}.log"),
                    getenv(),
                    [Signal::Kill],
                ),
                $clock,
            );
        }

        return new self($contender, $place, $workers, $clock);
    }

    /** File by which a worker says that it is there. */
    public static function arrival(string $directory, int $worker): string
    {
        return "{$directory}/ready-{$worker}";
    }

    /** @throws UnableToBench */
    public function awaitReady(): void
    {
        $until = $this->clock->monotonicNanos() + self::READY_SECONDS * 1_000_000_000;

        while (($missing = $this->missing()) !== []) {
            $isOver = $this->clock->monotonicNanos() >= $until;

            foreach ($missing as $worker) {
                if (! $worker->isRunning()) {
                    throw UnableToBench::workerEnded($this->contender->variant->name, $worker->logTail());
                }

                if ($isOver) {
                    throw UnableToBench::workersNotReady(
                        $this->contender->variant->name,
                        count($this->workers) - count($missing),
                        count($this->workers),
                        self::READY_SECONDS,
                        $worker->logTail(),
                    );
                }
            }

            $this->clock->sleep(self::POLL_MICROS);
        }
    }

    /** @return ?Fault when some are gone that should work */
    public function losses(): ?Fault
    {
        $gone = array_values(array_filter(
            $this->workers,
            static fn (ChildProcess $worker): bool => ! $worker->isRunning(),
        ));

        return $gone === [] ? null : Fault::workerEnded(count($gone), trim($gone[0]->logTail(self::LOG_LINES)));
    }

    public function isWorking(): bool
    {
        return array_filter($this->workers, static fn (ChildProcess $worker): bool => $worker->isRunning()) !== [];
    }

    public function stop(): void
    {
        // All at once, and then each is waited for.
        foreach ($this->workers as $worker) {
            $worker->signal(Signal::Kill);
        }

        foreach ($this->workers as $worker) {
            $worker->stop();
        }
    }

    /** @return list<ChildProcess> */
    private function missing(): array
    {
        return array_values(array_filter(
            $this->workers,
            fn (ChildProcess $worker, int $at): bool => ! is_file(self::arrival($this->place->path, $at + 1)),
            ARRAY_FILTER_USE_BOTH,
        ));
    }
}
