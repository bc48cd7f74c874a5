<?php

declare(strict_types=1);

namespace Headroom\Process\Supervision;

use Closure;
use Headroom\Core\Clock;
use Throwable;

/**
 * Something small that a supervising process has done now and then, in a process of its own: whatever it asks may hang, and
 * what is supervised must not wait for it. That process stays, since each new one would first load what it does it with.
 *
 * @internal
 */
final class BackgroundProcess
{
    private const LOOK_NANOS = 5_000_000_000;

    /** From one look to the next. */
    private const NAPS = 5;

    /** What the application gathers about its queries is gone with the process. */
    private const RUNS = 200;

    /** The members come first. */
    private const FIRST_NANOS = 5_000_000_000;

    private const REAP_MICROS = 1_000;

    private ?int $pid = null;

    private int $next;

    /**
     * @param Closure(): bool $isDue asked every few seconds, in the supervising process while there is no other
     * @param Closure(Closure(): void): void $run calls what it is given before it asks what might hang
     * @param int $seconds that it may take from then on before its process is killed
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

    public function look(): void
    {
        $now = $this->clock->monotonicNanos();

        if ($this->pid !== null && $this->processes->reap($this->pid) !== null) {
            $this->pid = null;
        }

        if ($this->pid === null && $now >= $this->next) {
            $this->next = $now + self::LOOK_NANOS;

            if (($this->isDue)()) {
                $this->start();
            }
        }
    }

    public function end(): void
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
                // It is an errand: the next one may fare better.
            }

            return 0;
        });
    }

    private function work(int $parent): void
    {
        // Killing it loses nothing. The alarm is the kernel's: a handler of ours would wait with what hangs.
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

    /** Until it is due again, or the parent is gone, which is noticed within a second. */
    private function await(int $parent): void
    {
        do {
            for ($naps = 0; $naps < self::NAPS && posix_getppid() === $parent; $naps++) {
                $this->clock->sleep(intdiv(self::LOOK_NANOS, 1000 * self::NAPS));
            }
        } while (posix_getppid() === $parent && ! ($this->isDue)());
    }
}
