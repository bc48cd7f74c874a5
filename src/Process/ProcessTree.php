<?php

declare(strict_types=1);

namespace Headroom\Process;

use Headroom\Core\Clock;

/**
 * The children of a process, and theirs, that do not end with it. As soon as it is gone nobody knows any more whose they were: they are
 * looked for while it is there.
 *
 * @internal
 */
final class ProcessTree
{
    private const GRACE_MILLIS = 5_000;

    private const POLL_MICROS = 5_000;

    /** @var array<int, ProcStat> by pid */
    private array $known = [];

    public function __construct(private readonly int $pid, private readonly Proc $proc, private readonly Clock $clock) {}

    /** Once more where the first of them lets others come and go. */
    public function look(): void
    {
        $this->known += $this->proc->descendants($this->pid);
    }

    /** Halts it, and them, so that no more come while they are looked for. */
    public function halt(): void
    {
        $new = [$this->pid => true];

        while ($new !== []) {
            foreach (array_keys($new) as $pid) {
                posix_kill($pid, Signal::Stop->value);
            }

            $before = $this->known;
            $this->look();
            $new = array_diff_key($this->known, $before);
        }
    }

    public function bury(): void
    {
        foreach ($this->left() as $pid) {
            posix_kill($pid, Signal::Kill->value);
        }

        $until = $this->clock->monotonicNanos() + self::GRACE_MILLIS * 1_000_000;

        while ($this->left() !== [] && $this->clock->monotonicNanos() < $until) {
            $this->clock->sleep(self::POLL_MICROS);
        }
    }

    /** @return list<int> */
    private function left(): array
    {
        return array_keys(array_filter($this->known, $this->isStill(...)));
    }

    /** The same pid with another start time is somebody else's process. */
    private function isStill(ProcStat $stat): bool
    {
        $now = $this->proc->stat($stat->pid);

        return $now !== null && $now->isAlive() && $now->startTicks === $stat->startTicks;
    }
}
