<?php

declare(strict_types=1);

namespace Headroom\Process\Supervision;

use Closure;
use Headroom\Core\Clock;
use Throwable;

/**
 * A task that a supervisor runs from time to time, in a process of its own. The task may hang, and the workers must not
 * wait for it. The process is kept, because each new one would have to load the same classes again.
 *
 * @internal
 */
final class BackgroundProcess
{
    private const CHECK_NANOS = 5_000_000_000;

    /** Naps between two checks. */
    private const NAPS = 5;

    /**
     * The process is replaced after this number of runs, so that memory does not grow, with the query log of an
     * application for example.
     */
    private const RUNS = 200;

    /** The first run waits until the workers have started. */
    private const FIRST_NANOS = 5_000_000_000;

    private const REAP_MICROS = 1_000;

    private ?int $pid = null;

    private int $next;

    /**
     * @param Closure(): bool $isDue called every few seconds: in the supervisor until the process exists, then in the
     * process
     * @param Closure(Closure(): void): void $run calls its argument to start the timeout before a step that may hang
     * @param int $seconds timeout after which the kernel kills the process
     */
    public function __construct(
        private readonly Closure $isDue,
        private readonly Closure $run,
        private readonly ProcessControl $processes,
        private readonly Clock $clock,
        private readonly int $seconds = 20,
    ) {
        $this->next = $clock->monotonicNanos() + self::FIRST_NANOS;
    }

    public function tick(): void
    {
        $now = $this->clock->monotonicNanos();

        if ($this->pid !== null && $this->processes->reap($this->pid) !== null) {
            $this->pid = null;
        }

        if ($this->pid === null && $now >= $this->next) {
            $this->next = $now + self::CHECK_NANOS;

            if (($this->isDue)()) {
                $this->start();
            }
        }
    }

    public function stop(): void
    {
        if ($this->pid === null) {
            return;
        }

        for ($this->processes->signal($this->pid, SIGKILL); $this->processes->reap($this->pid) === null;) {
            $this->clock->sleep(self::REAP_MICROS);
        }

        $this->pid = null;
    }

    private function start(): void
    {
        $this->pid = $this->processes->start(function (int $parent): int {
            try {
                $this->work($parent);
            } catch (Throwable) {
                // The next run may succeed.
            }

            return 0;
        });
    }

    private function work(int $parent): void
    {
        // Killing the process loses nothing. SIGALRM keeps its default action: a PHP handler would not run while a call
        // hangs.
        foreach ([SIGCHLD, SIGALRM, SIGTERM, SIGINT, SIGQUIT] as $signal) {
            pcntl_signal($signal, SIG_DFL);
        }

        pcntl_sigprocmask(SIG_UNBLOCK, [SIGALRM]);

        for ($runs = 0; $runs < self::RUNS && posix_getppid() === $parent; $runs++) {
            ($this->run)(function (): void {
                pcntl_alarm($this->seconds);
            });
            pcntl_alarm(0);
            $this->await($parent);
        }
    }

    /** Returns when the next run is due or the parent has ended, which is noticed within a second. */
    private function await(int $parent): void
    {
        do {
            for ($naps = 0; $naps < self::NAPS && posix_getppid() === $parent; $naps++) {
                $this->clock->sleep(intdiv(self::CHECK_NANOS, 1000 * self::NAPS));
            }
        } while (posix_getppid() === $parent && ! ($this->isDue)());
    }
}
