<?php

declare(strict_types=1);

namespace Headroom\Cli\Spool;

use Closure;
use Headroom\Core\Attempt;
use Headroom\Core\Clock;
use Throwable;

/**
 * Something small that a supervising process has done now and then, in a process of its own that is killed when it takes
 * too long: whatever it asks may hang, and what is supervised must not wait for it.
 *
 * @internal
 */
final class Errand
{
    private const LOOK_NANOS = 5_000_000_000;

    /** The members come first. */
    private const FIRST_NANOS = 5_000_000_000;

    private const LONGEST_NANOS = 20_000_000_000;

    private ?int $pid = null;

    private int $startedAt = 0;

    private int $next;

    /**
     * @param Closure(): bool $isDue asked in the supervising process, every few seconds
     * @param Closure(): void $run
     */
    public function __construct(private readonly Closure $isDue, private readonly Closure $run, private readonly Clock $clock)
    {
        $this->next = $clock->monotonicNanos() + self::FIRST_NANOS;
    }

    public function look(): void
    {
        $now = $this->clock->monotonicNanos();

        if ($this->pid !== null && pcntl_waitpid($this->pid, $status, WNOHANG) !== 0) {
            $this->pid = null;
        }

        if ($this->pid !== null && $now - $this->startedAt >= self::LONGEST_NANOS) {
            $this->end();
        }

        if ($this->pid === null && $now >= $this->next) {
            $this->next = $now + self::LOOK_NANOS;

            if (($this->isDue)()) {
                $this->start($now);
            }
        }
    }

    public function end(): void
    {
        if ($this->pid !== null) {
            posix_kill($this->pid, SIGKILL);
            pcntl_waitpid($this->pid, $status);
            $this->pid = null;
        }
    }

    private function start(int $now): void
    {
        $reason = '';
        $pid = Attempt::run(static fn (): int => pcntl_fork(), $reason);

        if ($pid === 0) {
            try {
                pcntl_signal(SIGCHLD, SIG_DFL);
                ($this->run)();
            } catch (Throwable) {
                // It is an errand: the next one may fare better.
            }

            exit(0);
        }

        if ($pid > 0) {
            $this->pid = $pid;
            $this->startedAt = $now;
        }
    }
}
