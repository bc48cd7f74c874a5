<?php

declare(strict_types=1);

namespace Headroom\Collector\Server;

use Closure;
use Headroom\Core\Clock;
use Headroom\Process\Supervision\WorkerSlot;

/**
 * The process of `collect`. It holds the listening sockets, supervises the workers, and accepts no connection. SIGTERM
 * and SIGQUIT finish the requests under way; SIGINT, or a second signal, only those that have arrived; a third signal
 * kills. SIGHUP and SIGUSR2 replace all processes.
 *
 * @internal
 */
final class SupervisorLoop
{
    private const TICK_MICROS = 200_000;

    private const SECOND = 1_000_000_000;

    /** Signals to stop. */
    private int $stopSignals = 0;

    private bool $isFast = false;

    private bool $isReloadRequested = false;

    private bool $wasReady = false;

    private bool $mustNotifyReady = false;

    private int $watchdogAt = 0;

    private int $publishedAt = 0;

    private bool $isReloading = false;

    private int $reloads = 0;

    private int $handledSignals = 0;

    /**
     * @param list<Listener> $listeners
     * @param bool $ownsListeners false: systemd keeps them
     * @param Closure(): void $maintain runs once a second
     * @param Closure(string): void $log
     */
    public function __construct(
        private readonly WorkerPool $pool,
        private readonly StateDirectory $directory,
        private readonly array $listeners,
        private readonly bool $ownsListeners,
        private readonly SystemdNotifier $systemd,
        private readonly Clock $clock,
        private readonly Closure $maintain,
        private readonly Closure $log,
    ) {}

    /** @return int exit code: 0 after a signal, 1 when no worker starts */
    public function run(): int
    {
        $this->catchSignals();
        $exit = 0;

        while (true) {
            $this->pool->tick();
            $this->notifyReady();
            $this->everySecond();

            if ($this->stopSignals > 0 && $this->pool->isEmpty()) {
                break;
            }

            if ($this->stopSignals === 0 && $this->pool->hasGivenUp()) {
                ($this->log)(
                    'the collector stops: every worker ends before it is ready. Their messages are above.',
                );
                $exit = 1;
                $this->stop(true);
            }

            $this->pool->wait(self::TICK_MICROS);
            $this->handleCommands();
        }

        $this->publish('stopped');
        $this->directory->remove('pid');

        return $exit;
    }

    private function catchSignals(): void
    {
        pcntl_async_signals(true);

        foreach ([SIGTERM, SIGQUIT, SIGINT] as $signal) {
            pcntl_signal($signal, function (int $signal): void {
                $this->stopSignals++;
                $this->isFast = $this->isFast || $signal === SIGINT || $this->stopSignals > 1;
            });
        }

        foreach ([SIGHUP, SIGUSR2] as $signal) {
            pcntl_signal($signal, function (): void {
                $this->isReloadRequested = true;
            });
        }

        // The exit of a process interrupts the wait, because its signal has a handler.
        pcntl_signal(SIGCHLD, static function (): void {}, false);
    }

    private function handleCommands(): void
    {
        if ($this->stopSignals > $this->handledSignals) {
            $this->handledSignals = $this->stopSignals;
            $this->stopSignals >= 3 ? $this->pool->kill() : $this->stop($this->isFast);
        } elseif ($this->isReloadRequested && $this->stopSignals === 0) {
            $this->isReloadRequested = false;
            $this->systemd->notify('RELOADING=1', 'MONOTONIC_USEC='.intdiv($this->clock->monotonicNanos(), 1000));
            $this->pool->reload();
            $this->reloads++;
            $this->isReloading = true;
            $this->mustNotifyReady = false;
            // collect:reload compares the number of reloads in the status.
            $this->publishedAt = 0;
        }
    }

    private function stop(bool $isFast): void
    {
        $this->stopSignals = max(1, $this->stopSignals);
        $this->handledSignals = max(1, $this->handledSignals);
        ($this->log)(
            $isFast
                ? 'stopping: requests that have arrived are committed and answered'
                : 'stopping: requests under way are finished',
        );
        $this->systemd->notify('STOPPING=1');
        $this->pool->stop($isFast);
        // Workers close the sockets once they have accepted the connections that wait in them.
        foreach ($this->ownsListeners && $this->pool->isEmpty() ? $this->listeners : [] as $listener) {
            $listener->shut();
        }
    }

    private function notifyReady(): void
    {
        if (! $this->wasReady && $this->pool->isReady()) {
            $this->wasReady = true;
            ($this->log)(
                'ready: '
                    .implode(
                        ' and ',
                        array_map(static fn (Listener $listener): string => $listener->name, $this->listeners),
                    ),
            );
            $this->mustNotifyReady = true;
            $this->publishedAt = 0;
        }

        if ($this->isReloading && ! $this->pool->isReloading()) {
            $this->isReloading = false;
            $this->mustNotifyReady = true;
            $this->publishedAt = 0;
        }

        // systemd waits for it after a reload too, so it is sent again if systemd did not take it.
        if ($this->mustNotifyReady && $this->systemd->notify('READY=1', $this->status())) {
            $this->mustNotifyReady = false;
        }
    }

    private function everySecond(): void
    {
        $now = $this->clock->monotonicNanos();
        $watchdog = $this->systemd->watchdog();

        // Workers accept requests, or the collector starts or stops.
        if (
            $watchdog !== null
            && $now - $this->watchdogAt > intdiv($watchdog, 3)
            && ($this->pool->activeWorkers() > 0 || $this->stopSignals > 0 || ! $this->wasReady)
        ) {
            $this->watchdogAt = $now;
            $this->systemd->notify('WATCHDOG=1', $this->status());
        }

        if ($now - $this->publishedAt >= self::SECOND) {
            $this->publishedAt = $now;
            $this->publish(match (true) {
                $this->stopSignals > 0 => 'stopping',
                $this->pool->isReloading() => 'reloading',
                $this->wasReady => 'running',
                default => 'starting',
            });
            ($this->maintain)();

            if ($watchdog === null) {
                $this->systemd->notify($this->status());
            }
        }
    }

    private function status(): string
    {
        return sprintf(
            'STATUS=%d of %d workers accept',
            $this->pool->activeWorkers(),
            count($this->pool->workers),
        );
    }

    private function publish(string $state): void
    {
        $this->directory->write('status', [
            'pid' => (int) getmypid(),
            'state' => $state,
            'listen' => array_map(static fn (Listener $listener): string => $listener->name, $this->listeners),
            'reload' => $this->pool->reloadResult,
            'reloads' => $this->reloads,
            'restarts' => (object) $this->pool->restarts(),
            'processes' => array_merge(...array_map($this->describe(...), $this->pool->slots())),
        ]);
    }

    /** @return list<array<string, mixed>> */
    private function describe(WorkerSlot $slot): array
    {
        $processes = [];

        foreach ([
            'works' => $slot->current,
            'starts' => $slot->successor,
            'finishes' => $slot->predecessor,
        ] as $state => $process) {
            if ($process !== null) {
                $processes[] = [
                    'name' => $slot->name,
                    'pid' => $process->handle->pid,
                    'state' => $state,
                    'seconds' => intdiv($this->clock->monotonicNanos() - $process->startedAt, self::SECOND),
                    ...$process->figures,
                ];
            }
        }

        return $processes === []
            ? [['name' => $slot->name, 'pid' => null, 'state' => $slot->backoff->hasGivenUp ? 'given up' : 'waits']]
            : $processes;
    }
}
