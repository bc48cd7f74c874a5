<?php

declare(strict_types=1);

namespace Headroom\Process\Supervision;

use Closure;
use Headroom\Core\Clock;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Formatter\OutputFormatter;
use Symfony\Component\Console\Output\OutputInterface;
use Throwable;

/**
 * Runs one worker process for each bucket in use and restarts those that end. A dead or hanging sink of one bucket
 * therefore delays no other. The supervisor opens no connection that its children would share.
 *
 * @internal
 */
final class Supervisor
{
    /** One turn of five seconds and the current batch. Killing a worker after that loses nothing. */
    private const GRACE_SECONDS = 30;

    private const NAP_MICROS = 1_000_000;

    /** Shorter while the supervisor waits for the last workers. */
    private const SHORT_NAP_MICROS = 50_000;

    /** @var list<WorkerProcess> */
    private array $members = [];

    /**
     * @param Closure(string, int): WorkerStopReason $work runs in the worker process, with the bucket and the pid of
     * the supervisor
     * @param Closure(string): bool $isWanted true once the bucket needs a process; called each second until then, and
     * must not block
     * @param Closure(): bool $isOver true when the supervisor should stop without a signal
     */
    public function __construct(
        private readonly Closure $work,
        private readonly Closure $isWanted,
        private readonly Closure $isOver,
        private readonly ProcessControl $processes,
        private readonly ShutdownSignal $stop,
        private readonly Clock $clock,
        private readonly OutputInterface $output,
        private readonly ?BackgroundProcess $errand = null,
    ) {}

    /** @param list<string> $buckets */
    public function run(array $buckets): int
    {
        $this->members = array_map(static fn (string $bucket): WorkerProcess => new WorkerProcess($bucket), $buckets);

        while ($this->stop->asked === 0 && ! ($this->isOver)()) {
            $this->reap();
            $this->start();
            $this->errand?->look();

            if ($this->isFinished()) {
                break;
            }

            $this->clock->sleep(self::NAP_MICROS);
        }

        $this->errand?->end();
        $this->end();

        return array_filter($this->members, static fn (WorkerProcess $member): bool => $member->final === WorkerStopReason::Failed) === [] ? Command::SUCCESS : Command::FAILURE;
    }

    private function start(): void
    {
        $now = $this->clock->monotonicNanos();

        foreach ($this->members as $member) {
            if ($this->stop->asked === 0 && $member->isWaiting($now) && ($this->isWanted)($member->bucket)) {
                $this->fork($member, $now);
            }
        }
    }

    private function fork(WorkerProcess $member, int $now): void
    {
        $reason = '';
        $work = fn (int $parent): int => $this->workAsChild($member->bucket, $parent)->value;
        $pid = $this->processes->start($work, $reason);

        if ($pid !== null) {
            $member->started($pid, $now);
        } else {
            $this->say("could not start a process for bucket {$member->bucket}: {$reason}; next attempt in {$member->notStarted($now)} s");
        }
    }

    private function workAsChild(string $bucket, int $parent): WorkerStopReason
    {
        try {
            return ($this->work)($bucket, $parent);
        } catch (Throwable $e) {
            try {
                $this->say("the process of bucket {$bucket} failed: {$e->getMessage()}");
            } catch (Throwable) {
                // The output itself may be gone.
            }

            return WorkerStopReason::Broken;
        }
    }

    private function reap(): void
    {
        foreach ($this->members as $member) {
            $ended = $member->pid === null ? null : $this->processes->reap($member->pid);

            if ($ended !== null) {
                $this->note($member, $ended);
            }
        }
    }

    private function note(WorkerProcess $member, ProcessExit $ended): void
    {
        $end = $ended->shift();
        $pause = $member->ended($this->clock->monotonicNanos());

        if ($end?->isFinal() === true) {
            $member->final = $end;

            return;
        }

        $why = match (true) {
            $ended->signal !== null => 'was killed by signal '.$ended->signal,
            $end === WorkerStopReason::Full => 'reached its memory limit',
            $end === WorkerStopReason::Stopped => 'was told to stop',
            default => 'ended with exit code '.$ended->code,
        };

        if ($this->stop->asked === 0) {
            $this->say("the process of bucket {$member->bucket} {$why}; restarting ".($pause === 0 ? 'now' : "in {$pause} s"));
        }
    }

    private function isFinished(): bool
    {
        return array_filter($this->members, static fn (WorkerProcess $member): bool => $member->final === null) === [];
    }

    /** @return list<WorkerProcess> */
    private function alive(): array
    {
        return array_values(array_filter($this->members, static fn (WorkerProcess $member): bool => $member->pid !== null));
    }

    private function end(): void
    {
        $asked = $this->stop->asked;
        $deadline = $this->clock->monotonicNanos() + self::GRACE_SECONDS * 1_000_000_000;
        $this->signal($this->stop->signal ?? SIGTERM);

        // A second signal means: do not wait.
        while ($this->alive() !== [] && $this->clock->monotonicNanos() < $deadline && $this->stop->asked <= max(1, $asked)) {
            $this->reapEnding();
            $this->clock->sleep($this->alive() === [] ? 0 : self::SHORT_NAP_MICROS);
        }

        foreach ($this->alive() as $member) {
            $this->say("the process of bucket {$member->bucket} did not stop in time and was killed; no event is lost");
        }

        $this->signal(SIGKILL);

        while ($this->alive() !== []) {
            $this->reapEnding();
            $this->clock->sleep($this->alive() === [] ? 0 : self::SHORT_NAP_MICROS);
        }
    }

    private function reapEnding(): void
    {
        foreach ($this->alive() as $member) {
            if ($this->processes->reap((int) $member->pid) !== null) {
                $member->pid = null;
            }
        }
    }

    private function signal(int $signal): void
    {
        foreach ($this->alive() as $member) {
            $this->processes->signal((int) $member->pid, $signal);
        }
    }

    private function say(string $what): void
    {
        $this->output->writeln('<comment>'.OutputFormatter::escape("spool:work: {$what}").'</comment>');
    }
}
