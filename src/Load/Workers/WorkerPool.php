<?php

declare(strict_types=1);

namespace Headroom\Load\Workers;

use Headroom\Core\Clock;
use Headroom\Load\Metrics\LoadResult;
use Headroom\Load\Metrics\PartialResult;
use Headroom\Load\Metrics\Progress;
use Headroom\Load\Metrics\ProgressListener;
use Headroom\Load\Plan;
use Headroom\Load\UnableToLoad;
use Headroom\Load\UnableToReach;
use Headroom\Process\Supervision\Message;
use Headroom\Process\Supervision\ProcessExit;
use Headroom\Process\Supervision\ProcessHandle;
use Headroom\Process\Supervision\SlotPolicy;
use Headroom\Process\Supervision\SpawnedProcesses;
use Headroom\Process\Supervision\Supervisor;
use Headroom\Process\Supervision\WorkerProcess;
use Headroom\Process\Supervision\WorkerSlot;
use Headroom\Process\UnableToStart;

/**
 * Runs one load test in several processes, which start at the same time, and merges their results. A process that ends
 * early is not started again: the result names it as lost.
 *
 * @internal
 */
final class WorkerPool implements SlotPolicy
{
    /** Time for the start message to reach every worker. */
    private const START_DELAY_NANOS = 100_000_000;

    private const TICK_MICROS = 200_000;

    /** Time for a worker to end and to send its result after the message to stop, which it reads twice a second. */
    private const GRACE_SECONDS = 10;

    /** Wait for processes that have closed their channels and are about to end. */
    private const EXIT_MICROS = 2_000;

    /** stdout is for the result of the run. */
    private const TO_STDERR = ['/bin/sh', '-c', 'exec "$@" >&2', 'sh'];

    private int $stopSignals = 0;

    private int $handledSignals = 0;

    /** @var array<int, Progress> the last of each worker, also of those that have ended; by number from 1 */
    private array $progress = [];

    /** @var array<int, true> workers with progress that was not shown yet */
    private array $hasNewProgress = [];

    /** @var array<int, PartialResult> */
    private array $results = [];

    /** @var list<string> */
    private array $lost = [];

    /** @var array<int, string> what workers reported that go on, or have a result */
    private array $failures = [];

    private bool $isRunning = false;

    /**
     * @param list<string> $command of a worker
     * @param int $graceSeconds after which a worker that was told to stop is killed
     */
    public function __construct(
        private readonly array $command,
        private readonly Clock $clock,
        private readonly int $graceSeconds = self::GRACE_SECONDS,
    ) {}

    /**
     * @param list<mixed> $assignments one for each process
     *
     * @throws UnableToLoad
     * @throws UnableToReach
     */
    public function run(Plan $plan, array $assignments, ?ProgressListener $watcher): LoadResult
    {
        $supervisor = $this->supervisor($assignments);

        try {
            $this->awaitReady($supervisor, $plan);
            $start = $this->clock->monotonicNanos() + self::START_DELAY_NANOS;
            $this->send($supervisor, MessageType::Start, $start);
            $this->isRunning = true;

            while (! $supervisor->isEmpty()) {
                $this->tick($supervisor, $plan);
                $this->show($supervisor, $watcher);
            }
        } finally {
            $this->end($supervisor);
        }

        ksort($this->results);

        return LoadResult::of($plan, array_values($this->results), $this->lost);
    }

    /** @return list<string> failures besides the measurement, such as a file that could not be written */
    public function faults(): array
    {
        return array_values($this->failures);
    }

    /** For signal handlers. The second call kills the workers that have not ended. */
    public function stop(): void
    {
        $this->stopSignals++;
    }

    public function isWanted(WorkerSlot $slot): bool
    {
        return $slot->starts === 0;
    }

    public function isFinal(WorkerSlot $slot, ProcessExit $exit): bool
    {
        return true;
    }

    public function describe(ProcessExit $exit): string
    {
        return $exit->describe();
    }

    /** @param list<mixed> $assignments */
    private function supervisor(array $assignments): Supervisor
    {
        $processes = new SpawnedProcesses;
        $slots = [];

        foreach ($assignments as $i => $assignment) {
            $name = 'Process '.($i + 1);
            $slots[] = new WorkerSlot($name, function () use ($processes, $name, $assignment): ProcessHandle {
                try {
                    $worker = $processes->start($name, [...self::TO_STDERR, ...$this->command]);
                } catch (UnableToStart $e) {
                    throw UnableToLoad::notStarted($e->getMessage());
                }

                $worker->channel?->send(MessageType::Assignment->value, $assignment);

                return $worker;
            });
        }

        return new Supervisor($slots, $this, $this->clock, static function (): void {});
    }

    private function awaitReady(Supervisor $supervisor, Plan $plan): void
    {
        do {
            $this->tick($supervisor, $plan);

            if ($this->stopSignals > 0) {
                throw UnableToLoad::stoppedBefore();
            }

            if ($this->lost !== []) {
                throw UnableToLoad::lostBefore($this->lost[0]);
            }
        } while (array_filter(
            $supervisor->processes(),
            static fn (WorkerProcess $worker): bool => ! $worker->isReady,
        ) !== []);
    }

    private function tick(Supervisor $supervisor, Plan $plan): void
    {
        $this->handleStop($supervisor);
        $before = array_map(static fn (WorkerSlot $slot): ?WorkerProcess => $slot->current, $supervisor->slots);
        $supervisor->tick();

        foreach ($supervisor->slots as $i => $slot) {
            // The last messages of a worker arrive with its exit.
            $worker = $slot->current ?? $before[$i];

            if ($worker === null) {
                continue;
            }

            foreach ($worker->messages() as $message) {
                $this->handle($i + 1, $message, $plan);
            }

            if ($slot->current === null) {
                $this->recordExit($i + 1, $slot->name, $worker);
            }
        }

        $this->wait($supervisor);
    }

    private function wait(Supervisor $supervisor): void
    {
        $isOpen = static fn (WorkerProcess $worker): bool => $worker->handle->channel?->stream() !== null;
        $supervisor->wait(
            array_filter($supervisor->processes(), $isOpen) === [] ? self::EXIT_MICROS : self::TICK_MICROS,
        );
    }

    private function recordExit(int $number, string $name, WorkerProcess $worker): void
    {
        if (! isset($this->results[$number])) {
            $this->lost[] = "{$name} {$worker->exit()?->describe()}"
                .($worker->isKilled && $this->handledSignals === 1
                    ? " because it did not end within {$this->graceSeconds} s after it was told to stop"
                    : '')
                .(isset($this->failures[$number]) ? ": {$this->failures[$number]}" : '');
            unset($this->failures[$number]);
        }

        if (isset($this->progress[$number])) {
            $this->progress[$number] = $this->progress[$number]->ended();
        }
    }

    private function handle(int $number, Message $message, Plan $plan): void
    {
        $content = $message->content;

        match (MessageType::tryFrom($message->type)) {
            MessageType::Failure => $this->fail($number, is_string($content) ? $content : ''),
            MessageType::NoServer => throw UnableToReach::because(is_string($content) ? $content : ''),
            MessageType::Progress => $this->record($number, ResultCodec::decodeProgress(MessageReader::of($content))),
            MessageType::Result => $this->finish(
                $number,
                ResultCodec::decodeMeasurement(MessageReader::of($content), $plan),
            ),
            default => null,
        };
    }

    /** @throws UnableToLoad */
    private function fail(int $number, string $reason): void
    {
        if (! $this->isRunning) {
            throw UnableToLoad::inProcess($number, $reason);
        }

        $this->failures[$number] = $reason;
    }

    private function record(int $number, Progress $progress): void
    {
        $this->progress[$number] = $progress;
        $this->hasNewProgress[$number] = true;
    }

    private function finish(int $number, PartialResult $result): void
    {
        $this->results[$number] = $result;
        // A short run ends before the worker has sent its progress.
        $this->progress[$number] = $result->metrics->progress($result->seconds, 0);
    }

    /**
     * A worker ends within a second after the message. The supervisor kills one that does not, such as a process that
     * was stopped with SIGSTOP. A worker that is not ready cannot read the message, and end() kills it.
     */
    private function handleStop(Supervisor $supervisor): void
    {
        if ($this->stopSignals <= $this->handledSignals || ! $this->isRunning) {
            return;
        }

        $this->handledSignals++;

        if ($this->handledSignals > 1) {
            $supervisor->kill('a second signal came');

            return;
        }

        $this->send($supervisor, MessageType::Stop);
        $killAt = $this->clock->monotonicNanos() + $this->graceSeconds * 1_000_000_000;

        foreach ($supervisor->processes() as $worker) {
            $worker->endBefore($killAt);
        }
    }

    private function send(Supervisor $supervisor, MessageType $type, mixed $content = null): void
    {
        foreach ($supervisor->processes() as $worker) {
            $worker->send($type->value, $content);
        }
    }

    private function show(Supervisor $supervisor, ?ProgressListener $watcher): void
    {
        $running = array_filter(
            $supervisor->slots,
            fn (WorkerSlot $slot, int $i): bool => $slot->current !== null && ! isset($this->hasNewProgress[$i + 1]),
            ARRAY_FILTER_USE_BOTH,
        );

        if ($watcher !== null && $this->hasNewProgress !== [] && $this->progress !== [] && $running === []) {
            $watcher->progressed(Progress::sum(array_values($this->progress)));
            $this->hasNewProgress = [];
        }
    }

    private function end(Supervisor $supervisor): void
    {
        $supervisor->stopStarting();
        $supervisor->kill('the run has ended');

        for ($supervisor->tick(); ! $supervisor->isEmpty(); $supervisor->tick()) {
            $this->clock->sleep(self::EXIT_MICROS);
        }
    }
}
