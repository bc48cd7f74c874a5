<?php

declare(strict_types=1);

namespace Headroom\Collector\Server;

use Closure;
use Headroom\Collector\RecyclePolicy;
use Headroom\Collector\Server\Metrics\MetricsFiles;
use Headroom\Collector\Server\Metrics\MetricsRegistry;
use Headroom\Collector\Timeouts;
use Headroom\Core\Clock;
use Headroom\Process\Supervision\Channel;
use Headroom\Process\Supervision\WorkerProcess;
use React\EventLoop\LoopInterface;

/**
 * One worker process: serves connections, sends heartbeats, asks to be recycled, and drains.
 *
 * @internal
 */
final class Worker
{
    private const HEARTBEAT_SECONDS = 1.0;

    private const DRAIN_TICK_SECONDS = 0.05;

    /** The kernel ends a worker that blocks for this long, even without a supervisor. */
    private const ALARM_SECONDS = 30;

    private const LAG_NANOS = 100_000_000;

    private int $expectedAt = 0;

    private int $lag = 0;

    private bool $isEnding = false;

    private readonly RecycleRequest $recycle;

    /** @var ?resource of the channel to the supervisor; null once that has ended */
    private $stream = null;

    /**
     * @param array<string, Listener> $listeners
     * @param bool $mayShut whether this collector owns the address; false under systemd socket activation
     * @param Closure(string): void $log
     */
    public function __construct(
        private readonly string $id,
        private readonly LoopInterface $loop,
        private readonly Channel $supervisor,
        private readonly ConnectionManager $connections,
        private readonly GroupCommit $commit,
        private readonly array $listeners,
        private readonly bool $mayShut,
        private readonly ReadinessCheck $readiness,
        RecyclePolicy $recyclePolicy,
        private readonly Timeouts $timeouts,
        private readonly MetricsRegistry $metrics,
        private readonly MetricsFiles $metricsFiles,
        private readonly Clock $clock,
        private readonly Closure $log,
    ) {
        $this->recycle = new RecycleRequest($recyclePolicy);
    }

    public function run(): void
    {
        $this->stream = $this->supervisor->stream() ?? throw UnableToServe::notIntroduced();

        // Ctrl-C in a terminal signals the whole process group. The supervisor decides what follows.
        foreach ([SIGINT, SIGHUP, SIGUSR2, SIGQUIT] as $signal) {
            pcntl_signal($signal, SIG_IGN);
        }

        pcntl_async_signals(true);
        pcntl_signal(SIGTERM, fn () => $this->loop->futureTick(fn () => $this->drain(false)));
        $this->loop->addReadStream($this->stream, $this->handleMessages(...));
        $this->connections->open();
        $this->expectedAt = $this->clock->monotonicNanos();
        $this->loop->addPeriodicTimer(self::HEARTBEAT_SECONDS, $this->heartbeat(...));
        $this->heartbeat();
        $this->supervisor->send(WorkerProcess::READY);
        // A message may have arrived with the assignment, and the event loop does not see it.
        $this->loop->futureTick($this->handleMessages(...));
        $this->loop->run();
        pcntl_alarm(0);
        $this->commit->close();
        $this->publish();
    }

    private function heartbeat(): void
    {
        pcntl_alarm(self::ALARM_SECONDS);
        $now = $this->clock->monotonicNanos();
        $this->lag = max(0, $now - $this->expectedAt);
        $this->expectedAt = $now + (int) (self::HEARTBEAT_SECONDS * 1_000_000_000);

        if ($this->lag > self::LAG_NANOS) {
            ($this->log)(sprintf(
                'the event loop was %d ms late: a handler, the disk or the machine blocked it',
                intdiv($this->lag, 1_000_000),
            ));
        }

        $this->connections->enforceTimeoutsSoon();
        $this->publish();
        $this->supervisor->send(WorkerProcess::HEARTBEAT, [
            'connections' => $this->connections->count(),
            'requests' => $this->metrics->responses(),
            'memory' => memory_get_usage(true),
            'paused' => $this->connections->isPaused(),
        ]);
        $reason = $this->isEnding
            ? null
            : $this->recycle->due($now, memory_get_usage(true), $this->metrics->responses());

        if ($reason !== null) {
            $this->supervisor->send(WorkerProcess::RECYCLE, $reason);
        }
    }

    private function publish(): void
    {
        $this->metricsFiles->publish($this->id, $this->metrics->series(), [
            'headroom_connections' => $this->connections->count(),
            'headroom_accept_paused' => $this->connections->isPaused() ? 1 : 0,
            'headroom_loop_lag_seconds' => $this->lag / 1_000_000_000,
            'headroom_memory_bytes' => memory_get_usage(true),
            'headroom_workers' => 1,
        ]);
    }

    private function handleMessages(): void
    {
        foreach ($this->supervisor->receive() as $message) {
            match ($message->type) {
                WorkerPool::DRAIN => $this->drain(false),
                WorkerPool::DRAIN_LAST => $this->drain(true),
                WorkerPool::STOP => $this->stop(),
                default => null,
            };
        }

        if ($this->stream !== null && $this->supervisor->isClosed()) {
            $this->loop->removeReadStream($this->stream);
            $this->stream = null;
            ($this->log)('the supervisor has ended: requests under way are finished');
            $this->drain(true);
        }
    }

    /** @param bool $isLast whether no worker follows */
    private function drain(bool $isLast): void
    {
        if ($isLast) {
            $this->connections->drain(true);

            foreach ($this->mayShut ? $this->listeners : [] as $listener) {
                $listener->shut();
            }
        }

        if ($this->isEnding) {
            return;
        }

        $this->isEnding = $this->readiness->isDraining = true;
        $this->connections->drain($isLast);
        $until = $this->clock->monotonicNanos() + $this->timeouts->drain * 1_000_000_000;
        $this->loop->addPeriodicTimer(self::DRAIN_TICK_SECONDS, function () use ($until): void {
            $this->connections->enforceTimeoutsSoon(function () use ($until): void {
                if ($this->connections->count() === 0 || $this->clock->monotonicNanos() > $until) {
                    $this->loop->stop();
                }
            });
        });
    }

    private function stop(): void
    {
        $this->drain(true);
        $this->commit->run();
        $this->connections->closeAll();
        // Clients get one second to read their responses.
        $this->loop->addTimer(1.0, $this->loop->stop(...));
    }
}
