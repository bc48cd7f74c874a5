<?php

declare(strict_types=1);

namespace Headroom\Load\Run;

use Headroom\Core\Clock;
use Headroom\Load\Failure;
use Headroom\Load\Plan;
use Headroom\Load\Tally;
use Headroom\Load\Transport\Client;
use Headroom\Load\Transport\Exchange;
use Headroom\Load\UnableToReach;
use Headroom\Load\Watcher;

/**
 * One run: lets the crowd begin, the client work, and the tally count.
 *
 * @internal
 */
final class Engine
{
    /** A request to stop may wait this long when nothing else happens. */
    private const LONGEST_WAIT_NANOS = 250_000_000;

    private const SHOW_NANOS = 500_000_000;

    /** A server that closes so many connections without a byte, before it gave any answer, speaks no HTTP. */
    private const FEWEST_CLOSED = 10;

    private bool $stop = false;

    /** Whether any server has answered with a status line. */
    private bool $hasAnswer = false;

    private int $closed = 0;

    private int $started = 0;

    private int $nextShow = self::SHOW_NANOS;

    /** Nanoseconds from the start of the run, as all times here are. */
    private int $deadline;

    public function __construct(
        private readonly Plan $plan,
        private readonly Crowd $crowd,
        private readonly Client $client,
        private readonly Tally $tally,
        private readonly ?Watcher $watcher,
        private readonly Clock $clock,
        private readonly bool $demandsHttp = false,
    ) {
        // What was due in time is waited for; the timeout sees to its end.
        $this->deadline = $plan->seconds === null || $plan->isOpen ? PHP_INT_MAX : (int) ($plan->seconds * 1e9);
    }

    public function stop(): void
    {
        $this->stop = true;
    }

    /**
     * @param int $started what the clock said, or will say, when the run begins
     * @return int when it ended
     *
     * @throws UnableToReach
     */
    public function run(int $started): int
    {
        $this->started = $started;
        $now = 0;

        try {
            for (; ! $this->stop && $now < $this->deadline; $now = $this->now()) {
                $this->tally->advance($now, $this->client->inFlight());

                if ($this->watcher !== null && $now >= $this->nextShow) {
                    $this->watcher->watch($this->tally->progress($now / 1e9, $this->client->inFlight()));
                    $this->nextShow = $now + self::SHOW_NANOS;
                }

                // Right before the client works, so that whatever counts as unfinished in the
                // end has really been begun.
                while (($exchange = $this->crowd->start($now)) !== null) {
                    $this->client->begin($exchange);
                }

                if ($this->client->inFlight() > 0) {
                    $this->work();
                } elseif ($this->crowd->next() === PHP_INT_MAX) {
                    break;
                } else {
                    $this->clock->sleep($this->microsUntilNext($this->now()));
                }
            }

            $this->tally->advance(min($now, $this->deadline - 1), $this->client->inFlight());
            $this->tally->unfinished = $this->client->inFlight();

            return $now;
        } finally {
            $this->client->close();
        }
    }

    public function isStopped(): bool
    {
        return $this->stop;
    }

    private function now(): int
    {
        return $this->clock->monotonicNanos() - $this->started;
    }

    private function work(): void
    {
        $ended = $this->client->work($this->microsUntilNext($this->now()));

        if ($ended === []) {
            return;
        }

        $now = $this->now();
        // What ended belongs to the slot it ended in, not to the one in which the wait for it began.
        $this->tally->advance(min($now, $this->deadline - 1), $this->client->inFlight() + count($ended));

        foreach ($ended as $exchange) {
            if ($this->demandsHttp && ! $this->hasAnswer) {
                $this->demandHttp($exchange);
            }

            $this->crowd->ended($exchange, $now);
        }
    }

    private function demandHttp(Exchange $exchange): void
    {
        $this->hasAnswer = $exchange->status !== 0;
        $isClosed = in_array($exchange->failure, [Failure::ClosedUnanswered, Failure::Reset], true);
        $this->closed = $isClosed ? $this->closed + 1 : 0;

        if (! $this->hasAnswer && $exchange->failure === Failure::NotHttp) {
            throw UnableToReach::notHttp($exchange->target, $exchange->message);
        }

        if ($exchange->failure === Failure::Tls) {
            throw UnableToReach::told("{$exchange->message}.");
        }

        if ($this->closed >= max(self::FEWEST_CLOSED, $this->plan->mostInFlight())) {
            throw UnableToReach::closesAll($exchange->target, $this->closed);
        }
    }

    /** Until there is something to do that no socket tells of. */
    private function microsUntilNext(int $now): int
    {
        $wait = min($this->deadline, $this->crowd->next()) - $now;

        // Rounded up, or it would be asked for again and again within the last microsecond.
        return $wait <= 0 ? 0 : 1 + intdiv(min($wait, self::LONGEST_WAIT_NANOS), 1_000);
    }
}
