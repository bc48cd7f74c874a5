<?php

declare(strict_types=1);

namespace Headroom\Load\Executor;

use Headroom\Core\Clock;
use Headroom\Load\Metrics\Metrics;
use Headroom\Load\Metrics\ProgressListener;
use Headroom\Load\Plan;
use Headroom\Load\Transport\Client;
use Headroom\Load\UnableToReach;

/**
 * The loop of a run: the virtual users start requests, the client sends and receives, the metrics count.
 *
 * @internal
 */
final class Engine
{
    /** While no socket is ready, a request to stop takes effect after this time at the latest. */
    private const LONGEST_WAIT_NANOS = 250_000_000;

    private const PROGRESS_NANOS = 500_000_000;

    private bool $isStopped = false;

    private int $started = 0;

    private int $nextProgress = self::PROGRESS_NANOS;

    /** Nanoseconds from the start of the run, as all times here are. */
    private int $deadline;

    /** @param ?ReachabilityMonitor $monitor null if a server that never responds does not end the run */
    public function __construct(
        Plan $plan,
        private readonly VirtualUsers $vus,
        private readonly Client $client,
        private readonly Metrics $metrics,
        private readonly ?ProgressListener $listener,
        private readonly Clock $clock,
        private readonly ?ReachabilityMonitor $monitor,
    ) {
        // In the open model, every request that has started runs to its end or its timeout.
        $this->deadline = $plan->seconds === null || $plan->isOpen ? PHP_INT_MAX : (int) ($plan->seconds * 1e9);
    }

    public function stop(): void
    {
        $this->isStopped = true;
    }

    /**
     * @param int $started the time of the clock at which the run starts
     * @return int nanoseconds until its end
     *
     * @throws UnableToReach
     */
    public function run(int $started): int
    {
        $this->started = $started;
        $now = 0;

        try {
            for (; ! $this->isStopped && $now < $this->deadline; $now = $this->now()) {
                $this->metrics->advance($now, $this->client->inFlight());
                $this->monitor?->demandResponse($now, $this->client->inFlight());
                $this->report($now);

                // The client works right after this loop, so a request that counts as unfinished was really started.
                while (($exchange = $this->vus->start($now)) !== null) {
                    $this->client->begin($exchange);
                }

                if ($this->client->inFlight() > 0) {
                    $this->work();
                } elseif ($this->vus->nextStart() === PHP_INT_MAX) {
                    break;
                } else {
                    $this->clock->sleep($this->microsUntilNext($this->now()));
                }
            }

            $this->metrics->advance(min($now, $this->deadline - 1), $this->client->inFlight());
            $this->metrics->unfinished = $this->client->inFlight();

            return $now;
        } finally {
            $this->client->close();
        }
    }

    public function isStopped(): bool
    {
        return $this->isStopped;
    }

    private function now(): int
    {
        return $this->clock->monotonicNanos() - $this->started;
    }

    private function report(int $now): void
    {
        if ($this->listener !== null && $now >= $this->nextProgress) {
            $this->listener->progressed($this->metrics->progress($now / 1e9, $this->client->inFlight()));
            $this->nextProgress = $now + self::PROGRESS_NANOS;
        }
    }

    private function work(): void
    {
        $ended = $this->client->work($this->microsUntilNext($this->now()));

        if ($ended === []) {
            return;
        }

        $now = $this->now();
        // A request belongs to the interval in which it ended, not to the one in which the wait for it began.
        $this->metrics->advance(min($now, $this->deadline - 1), $this->client->inFlight() + count($ended));

        foreach ($ended as $exchange) {
            $this->monitor?->observe($exchange);
            $this->vus->ended($exchange, $now);
        }
    }

    /** Microseconds until something is to do that no socket announces. */
    private function microsUntilNext(int $now): int
    {
        $wait = min($this->deadline, $this->vus->nextStart()) - $now;

        // Rounded up: rounded down, the loop would spin during the last microsecond.
        return $wait <= 0 ? 0 : 1 + intdiv(min($wait, self::LONGEST_WAIT_NANOS), 1_000);
    }
}
