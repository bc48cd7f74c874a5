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
 * The life of one worker process: ready, beating, recycled when its time has come, drained.
 *
 * @internal
 */
final class Worker
{
    private const BEAT_SECONDS = 1.0;

    private const DRAIN_LOOK_SECONDS = 0.05;

    /** Whoever blocks for so long is ended by the kernel, also when no supervisor lives to see it. */
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
     * @param bool $mayShut whether the address is ours to give up: not when systemd keeps it
     * @param Closure(string): void $say
     */
    public function __construct(
        private readonly string $id,
        private readonly LoopInterface $loop,
        private readonly Channel $supervisor,
        private readonly ConnectionManager $clients,
        private readonly GroupCommit $commit,
        private readonly array $listeners,
        private readonly bool $mayShut,
        private readonly ReadinessCheck $readiness,
        RecyclePolicy $lifetime,
        private readonly Timeouts $timeouts,
        private readonly MetricsRegistry $meter,
        private readonly MetricsFiles $metrics,
        private readonly Clock $clock,
        private readonly Closure $say,
    ) {
        $this->recycle = new RecycleRequest($lifetime);
    }

    public function run(): void
    {
        $this->stream = $this->supervisor->stream() ?? throw UnableToServe::notIntroduced();

        // A terminal's Ctrl-C reaches every process of the group, and it is the supervisor who says what it means.
        foreach ([SIGINT, SIGHUP, SIGUSR2, SIGQUIT] as $signal) {
            pcntl_signal($signal, SIG_IGN);
        }

        pcntl_async_signals(true);
        pcntl_signal(SIGTERM, fn () => $this->loop->futureTick(fn () => $this->drain(false)));
        $this->loop->addReadStream($this->stream, $this->handleMessages(...));
        $this->clients->open();
        $this->expectedAt = $this->clock->monotonicNanos();
        $this->loop->addPeriodicTimer(self::BEAT_SECONDS, $this->beat(...));
        $this->beat();
        $this->supervisor->send(WorkerProcess::READY);
        // A message may have arrived with the assignment, and the event loop does not see it.
        $this->loop->futureTick($this->handleMessages(...));
        $this->loop->run();
        pcntl_alarm(0);
        $this->commit->end();
        $this->publish();
    }

    private function beat(): void
    {
        pcntl_alarm(self::ALARM_SECONDS);
        $now = $this->clock->monotonicNanos();
        $this->lag = max(0, $now - $this->expectedAt);
        $this->expectedAt = $now + (int) (self::BEAT_SECONDS * 1_000_000_000);

        if ($this->lag > self::LAG_NANOS) {
            ($this->say)(sprintf(
                'the loop was %d ms late: something in this worker, or the machine, keeps it',
                intdiv($this->lag, 1_000_000),
            ));
        }

        $this->clients->sweep();
        $this->publish();
        $this->supervisor->send(WorkerProcess::HEARTBEAT, [
            'connections' => $this->clients->count(),
            'requests' => $this->requests(),
            'memory' => memory_get_usage(true),
            'paused' => $this->clients->isPaused(),
        ]);
        $why = $this->isEnding ? null : $this->recycle->due($now, memory_get_usage(true), $this->requests());

        if ($why !== null) {
            $this->supervisor->send(WorkerProcess::RECYCLE, $why);
        }
    }

    private function requests(): int
    {
        $sum = 0;

        foreach ($this->meter->counters as $series => $count) {
            $sum += str_starts_with($series, 'headroom_http_requests_total') ? (int) $count : 0;
        }

        return $sum;
    }

    private function publish(): void
    {
        $this->metrics->publish($this->id, $this->meter->series(), [
            'headroom_connections' => $this->clients->count(),
            'headroom_accept_paused' => $this->clients->isPaused() ? 1 : 0,
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
            ($this->say)('the supervisor has ended: requests under way are finished');
            $this->drain(true);
        }
    }

    private function drain(bool $isLast): void
    {
        if ($isLast) {
            $this->clients->drain(true);

            foreach ($this->mayShut ? $this->listeners : [] as $listener) {
                $listener->shut();
            }
        }

        if ($this->isEnding) {
            return;
        }

        $this->isEnding = $this->readiness->isDraining = true;
        $this->clients->drain($isLast);
        $until = $this->clock->monotonicNanos() + $this->timeouts->drain * 1_000_000_000;
        $this->loop->addPeriodicTimer(self::DRAIN_LOOK_SECONDS, function () use ($until): void {
            $this->clients->sweep(function () use ($until): void {
                if ($this->clients->count() === 0 || $this->clock->monotonicNanos() > $until) {
                    $this->loop->stop();
                }
            });
        });
    }

    private function stop(): void
    {
        $this->drain(true);
        $this->commit->run();
        $this->clients->dropAll();
        // What is written goes out within the second that clients get to read it.
        $this->loop->addTimer(1.0, $this->loop->stop(...));
    }
}
