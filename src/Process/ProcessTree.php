<?php

declare(strict_types=1);

namespace Headroom\Process;

use Headroom\Core\Clock;

/**
 * The descendants of a process, which may outlive the process. After its end the kernel no longer shows whose children
 * they were, so this class collects them while the process runs.
 *
 * @internal
 */
final class ProcessTree
{
    private const GRACE_MILLIS = 5_000;

    private const POLL_MICROS = 5_000;

    /** @var array<int, ProcStat> by pid */
    private array $known = [];

    public function __construct(
        private readonly int $pid,
        private readonly Proc $proc,
        private readonly Clock $clock,
    ) {}

    /** Call it again if a descendant starts and ends others. */
    public function refresh(): void
    {
        $this->known += $this->proc->descendants($this->pid);
    }

    /** Suspends the process and its descendants, so that no new ones appear while they are collected. */
    public function suspend(): void
    {
        $new = [$this->pid => true];

        while ($new !== []) {
            foreach (array_keys($new) as $pid) {
                posix_kill($pid, Signal::Stop->value);
            }

            $before = $this->known;
            $this->refresh();
            $new = array_diff_key($this->known, $before);
        }
    }

    public function kill(): void
    {
        foreach ($this->remaining() as $pid) {
            posix_kill($pid, Signal::Kill->value);
        }

        $until = $this->clock->monotonicNanos() + self::GRACE_MILLIS * 1_000_000;

        while ($this->remaining() !== [] && $this->clock->monotonicNanos() < $until) {
            $this->clock->sleep(self::POLL_MICROS);
        }
    }

    /** @return list<int> */
    private function remaining(): array
    {
        return array_keys(array_filter($this->known, $this->isSameProcess(...)));
    }

    /** A process with the same pid and another start time is a different process. */
    private function isSameProcess(ProcStat $stat): bool
    {
        $now = $this->proc->stat($stat->pid);

        return $now !== null && $now->isAlive() && $now->startTicks === $stat->startTicks;
    }
}
