<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues;

use Headroom\Core\Clock;
use Headroom\Process\ChildProcess;
use Headroom\Process\ProcessOptions;
use Headroom\Process\Signal;
use Headroom\Process\Stoppable;
use Headroom\Process\TemporaryDirectory;
use Headroom\Process\UnableToFindProgram;
use Headroom\Process\UnableToStart;

/**
 * The queue workers of one run. They are programs of Laravel, which know no supervisor, so the kernel ends them with
 * this process. None is started again: a run that loses a worker is a fault.
 *
 * @internal
 */
final class WorkerPool implements Stoppable
{
    private const READY_SECONDS = 60;

    private const POLL_MICROS = 5_000;

    private const LOG_LINES = 3;

    /** @param list<ChildProcess> $workers */
    private function __construct(
        private readonly Contender $contender,
        private readonly TemporaryDirectory $directory,
        private readonly array $workers,
        private readonly Clock $clock,
    ) {}

    /**
     * The workers boot and then wait at the barrier.
     *
     * @param non-empty-list<string> $command of a worker; its assignment file and its number are appended
     * @throws UnableToFindProgram
     * @throws UnableToStart
     */
    public static function start(
        Contender $contender,
        array $command,
        TemporaryDirectory $directory,
        string $barrier,
        Clock $clock,
    ): self {
        $assignment = $directory->write('assignment.json', json_encode([
            ...$contender->work,
            'directory' => $directory->path,
            'barrier' => $barrier,
            'tries' => $contender->variant->workload->tries,
            'sleep' => $contender->variant->workload->sleep,
            'workers' => $contender->variant->workload->workers,
            'staggered' => $contender->variant->workload->arrivals !== null,
        ], JSON_THROW_ON_ERROR | JSON_PRESERVE_ZERO_FRACTION));
        $workers = [];

        for ($number = 1; $number <= $contender->variant->workload->workers; $number++) {
            // SIGKILL loses nothing: at the end all jobs are done, or the run is a fault.
            $workers[] = ChildProcess::start(
                new ProcessOptions(
                    "worker {$number}",
                    [
                        ...$command,
                        $assignment,
                        (string) $number,
                        ...($contender->variant->workload->isQuiet ? ['--quiet'] : []),
                    ],
                    $directory->file("worker-{$number}.log"),
                    getenv(),
                    [Signal::Kill],
                ),
                $clock,
            );
        }

        return new self($contender, $directory, $workers, $clock);
    }

    /** File that a worker creates when it is ready. */
    public static function readyFile(string $directory, int $worker): string
    {
        return "{$directory}/ready-{$worker}";
    }

    /** @throws UnableToBench */
    public function awaitReady(): void
    {
        $until = $this->clock->monotonicNanos() + self::READY_SECONDS * 1_000_000_000;

        while (($missing = $this->missing()) !== []) {
            $isLate = $this->clock->monotonicNanos() >= $until;

            foreach ($missing as $worker) {
                if (! $worker->isRunning()) {
                    throw UnableToBench::workerEnded($this->contender->variant->name, $worker->logTail());
                }

                if ($isLate) {
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

    /** @return ?Fault if workers have ended before the run */
    public function losses(): ?Fault
    {
        $ended = array_values(array_filter(
            $this->workers,
            static fn (ChildProcess $worker): bool => ! $worker->isRunning(),
        ));

        return $ended === [] ? null : Fault::workerEnded(count($ended), trim($ended[0]->logTail(self::LOG_LINES)));
    }

    public function isWorking(): bool
    {
        return array_filter($this->workers, static fn (ChildProcess $worker): bool => $worker->isRunning()) !== [];
    }

    public function stop(): void
    {
        // All get the signal before the first wait.
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
            fn (ChildProcess $worker, int $at): bool => ! is_file(self::readyFile($this->directory->path, $at + 1)),
            ARRAY_FILTER_USE_BOTH,
        ));
    }
}
