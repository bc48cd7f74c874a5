<?php

declare(strict_types=1);

namespace Headroom\Collector\Server;

use Closure;
use Headroom\Core\Clock;

/**
 * The process that `collect` is: it has the listening sockets and the crew, and accepts nothing itself. Signals: TERM
 * and QUIT finish what was begun, INT what is at hand, each further one is less patient; HUP and USR2 replace the crew.
 *
 * @internal
 */
final class SupervisorLoop
{
    private const LOOK_MICROS = 200_000;

    private const SECOND = 1_000_000_000;

    private int $asked = 0;

    private bool $isQuick = false;

    private bool $reload = false;

    private bool $wasReady = false;

    private bool $owesReady = false;

    private int $toldAt = 0;

    private int $caredAt = 0;

    private bool $isReloading = false;

    private int $reloads = 0;

    private int $obeyed = 0;

    /**
     * @param list<Listener> $listeners
     * @param bool $ownsListeners false: systemd keeps them
     * @param Closure(): void $care what is to be done about once a second
     * @param Closure(string): void $say
     */
    public function __construct(
        private readonly WorkerPool $crew,
        private readonly StateDirectory $home,
        private readonly array $listeners,
        private readonly bool $ownsListeners,
        private readonly SystemdNotifier $manager,
        private readonly Clock $clock,
        private readonly Closure $care,
        private readonly Closure $say,
    ) {}

    /** @return int exit code: 0 ended as it was told, 1 there is nobody left who works */
    public function run(): int
    {
        $this->catchSignals();
        $exit = 0;

        while (true) {
            $this->crew->look();
            $this->crew->endFlushers();
            $this->tell();
            $this->second();

            if ($this->asked > 0 && $this->crew->isGone()) {
                break;
            }

            if ($this->asked === 0 && $this->crew->isHopeless()) {
                ($this->say)(
                    'nothing works any more: every worker ends as soon as it is started. What they said is above.',
                );
                $exit = 1;
                $this->stop(true);
            }

            $this->wait();
            $this->obey();
        }

        $this->publish('stopped');
        $this->home->remove('pid');

        return $exit;
    }

    private function catchSignals(): void
    {
        pcntl_async_signals(true);

        foreach ([SIGTERM, SIGQUIT, SIGINT] as $signal) {
            pcntl_signal($signal, function (int $signal): void {
                $this->asked++;
                $this->isQuick = $this->isQuick || $signal === SIGINT || $this->asked > 1;
            });
        }

        foreach ([SIGHUP, SIGUSR2] as $signal) {
            pcntl_signal($signal, function (): void {
                $this->reload = true;
            });
        }

        // So that a child's end interrupts the wait.
        pcntl_signal(SIGCHLD, static function (): void {}, false);
    }

    private function obey(): void
    {
        if ($this->asked > $this->obeyed) {
            $this->obeyed = $this->asked;
            $this->asked >= 3 ? $this->crew->kill() : $this->stop($this->isQuick);
        } elseif ($this->reload && $this->asked === 0) {
            $this->reload = false;
            $this->manager->tell('RELOADING=1', 'MONOTONIC_USEC='.intdiv($this->clock->monotonicNanos(), 1000));
            $this->crew->reload();
            $this->reloads++;
            $this->isReloading = true;
            $this->owesReady = false;
            // Who asks for the next one counts from here.
            $this->caredAt = 0;
        }
    }

    private function stop(bool $quickly): void
    {
        $this->asked = max(1, $this->asked);
        $this->obeyed = max(1, $this->obeyed);
        ($this->say)(
            $quickly
                ? 'stopping: what is at hand is put on disk and answered'
                : 'stopping: requests that have begun are finished',
        );
        $this->manager->tell('STOPPING=1');
        $this->crew->end($quickly);
        // Workers close theirs when they have taken what waits in it.
        foreach ($this->ownsListeners && $this->crew->isGone() ? $this->listeners : [] as $listener) {
            $listener->shut();
        }
    }

    private function wait(): void
    {
        $read = $this->crew->lines();
        $write = $except = null;

        if ($read === []) {
            $this->clock->sleep(self::LOOK_MICROS);
        } else {
            @stream_select($read, $write, $except, 0, self::LOOK_MICROS);
        }
    }

    private function tell(): void
    {
        if (! $this->wasReady && $this->crew->isReady()) {
            $this->wasReady = true;
            ($this->say)(
                'ready: '
                    .implode(
                        ' and ',
                        array_map(static fn (Listener $listener): string => $listener->name, $this->listeners),
                    ),
            );
            $this->owesReady = true;
            $this->caredAt = 0;
        }

        if ($this->isReloading && ! $this->crew->isReloading()) {
            $this->isReloading = false;
            $this->owesReady = true;
            $this->caredAt = 0;
        }

        // It is waited for.
        if ($this->owesReady && $this->manager->tell('READY=1', $this->status())) {
            $this->owesReady = false;
        }
    }

    private function second(): void
    {
        $now = $this->clock->monotonicNanos();
        $watchdog = $this->manager->watchdog();

        // Somebody works, or it is right that nobody does.
        if (
            $watchdog !== null
            && $now - $this->toldAt > intdiv($watchdog, 3)
            && ($this->crew->working() > 0 || $this->asked > 0 || ! $this->wasReady)
        ) {
            $this->toldAt = $now;
            $this->manager->tell('WATCHDOG=1', $this->status());
        }

        if ($now - $this->caredAt >= self::SECOND) {
            $this->caredAt = $now;
            $this->publish(match (true) {
                $this->asked > 0 => 'stopping',
                $this->crew->isReloading() => 'reloading',
                $this->wasReady => 'running',
                default => 'starting',
            });
            ($this->care)();

            if ($watchdog === null) {
                $this->manager->tell($this->status());
            }
        }
    }

    private function status(): string
    {
        return sprintf(
            'STATUS=%d of %d workers accept',
            $this->crew->working(),
            count(array_filter($this->crew->posts, static fn (Post $post): bool => ! $post->isFlusher)),
        );
    }

    private function publish(string $state): void
    {
        $this->home->write('status', [
            'pid' => (int) getmypid(),
            'state' => $state,
            'listen' => array_map(static fn (Listener $listener): string => $listener->name, $this->listeners),
            'reload' => $this->crew->reloaded,
            'reloads' => $this->reloads,
            'restarts' => (object) $this->crew->restarts,
            'processes' => array_merge(...array_map($this->describe(...), $this->crew->posts)),
        ]);
    }

    /** @return list<array<string, mixed>> */
    private function describe(Post $post): array
    {
        $seen = [];

        foreach ([
            'works' => $post->working,
            'starts' => $post->coming,
            'finishes' => $post->leaving,
        ] as $state => $hand) {
            if ($hand !== null) {
                $seen[] = [
                    'name' => $post->name,
                    'pid' => $hand->child->pid(),
                    'state' => $state,
                    'seconds' => intdiv($this->clock->monotonicNanos() - $hand->startedAt, self::SECOND),
                    ...$hand->figures,
                ];
            }
        }

        return $seen === []
            ? [['name' => $post->name, 'pid' => null, 'state' => $post->isBroken ? 'given up' : 'waits']]
            : $seen;
    }
}
