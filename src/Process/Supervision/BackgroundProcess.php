<?php

declare(strict_types=1);

namespace Headroom\Process\Supervision;

use Closure;
use Headroom\Core\Clock;
use Headroom\Process\UnableToStart;
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

    private ?ProcessHandle $process = null;

    private int $next;

    /**
     * @param Closure(): bool $isDue called every few seconds: in the supervisor until the process exists, then in the
     * process
     * @param Closure(Closure(): void): void $run calls its argument to start the timeout before a step that may hang
     * @param Closure(string, Closure(Channel): int): ProcessHandle $fork
     * @param int $seconds timeout after which the kernel kills the process
     */
    public function __construct(
        private readonly Closure $isDue,
        private readonly Closure $run,
        private readonly Closure $fork,
        private readonly Clock $clock,
        private readonly int $seconds = 20,
    ) {
        $this->next = $clock->monotonicNanos() + self::FIRST_NANOS;
    }

    public function tick(): void
    {
        $now = $this->clock->monotonicNanos();

        if ($this->process?->exit() !== null) {
            $this->process = null;
        }

        if ($this->process === null && $now >= $this->next) {
            $this->next = $now + self::CHECK_NANOS;

            if (($this->isDue)()) {
                $this->start();
            }
        }
    }

    public function stop(): void
    {
        $this->process?->signal(SIGKILL);

        while ($this->process !== null && $this->process->exit() === null) {
            $this->clock->sleep(self::REAP_MICROS);
        }

        $this->process = null;
    }

    private function start(): void
    {
        try {
            $this->process = ($this->fork)('background process', function (Channel $supervisor): int {
                try {
                    $this->work($supervisor);
                } catch (Throwable) {
                    // The next run may succeed.
                }

                return 0;
            });
        } catch (UnableToStart) {
            // The next check tries again.
        }
    }

    private function work(Channel $supervisor): void
    {
        // Killing the process loses nothing. SIGALRM keeps its default action: a PHP handler would not run while a call
        // hangs.
        foreach ([SIGCHLD, SIGALRM, SIGTERM, SIGINT, SIGQUIT] as $signal) {
            pcntl_signal($signal, SIG_DFL);
        }

        pcntl_sigprocmask(SIG_UNBLOCK, [SIGALRM]);

        for ($runs = 0; $runs < self::RUNS && ! $supervisor->isClosed(); $runs++) {
            ($this->run)(function (): void {
                pcntl_alarm($this->seconds);
            });
            pcntl_alarm(0);
            $this->await($supervisor);
        }
    }

    /** Returns when the next run is due or the supervisor has ended, which is noticed within a second. */
    private function await(Channel $supervisor): void
    {
        do {
            for ($naps = 0; $naps < self::NAPS && ! $supervisor->isClosed(); $naps++) {
                $this->clock->sleep(intdiv(self::CHECK_NANOS, 1000 * self::NAPS));
            }
        } while (! $supervisor->isClosed() && ! ($this->isDue)());
    }
}
