<?php

declare(strict_types=1);

namespace Headroom\Load\Executor;

use Headroom\Load\Failure;
use Headroom\Load\Transport\Exchange;
use Headroom\Load\UnableToReach;

/**
 * Ends a run that no HTTP server responds to. After the first response it does nothing: a server that fails during a
 * run is measured.
 *
 * @internal
 */
final class ReachabilityMonitor
{
    /** A few closed connections may come from a server that starts; this many in a row do not. */
    private const FEWEST_FAILURES = 10;

    /** With a low rate or a long pause, this many failures would take longer. */
    private const PATIENCE_NANOS = 1_000_000_000;

    private const CLOSED = [Failure::Refused, Failure::ClosedUnanswered, Failure::Reset];

    private bool $hasResponse = false;

    /** Connections in a row that the server refused or closed. */
    private int $failures = 0;

    private ?UnableToReach $refusal = null;

    /** @param int $vus that may have a request in flight */
    public function __construct(private readonly int $vus) {}

    /** @throws UnableToReach */
    public function observe(Exchange $exchange): void
    {
        if ($this->hasResponse || $exchange->status !== 0) {
            $this->hasResponse = true;

            return;
        }

        if ($exchange->failure === Failure::NotHttp) {
            throw UnableToReach::notHttp($exchange->target, $exchange->message);
        }

        if ($exchange->failure === Failure::Tls) {
            throw UnableToReach::because("{$exchange->message}.");
        }

        $this->failures = in_array($exchange->failure, self::CLOSED, true) ? $this->failures + 1 : 0;
        $this->refusal = $exchange->failure === Failure::Refused
            ? UnableToReach::refusesAll($exchange->target, $this->failures, $exchange->message)
            : null;

        if ($this->failures >= max(self::FEWEST_FAILURES, $this->vus)) {
            throw $this->refusal ?? UnableToReach::closesAll($exchange->target, $this->failures);
        }
    }

    /**
     * @param int $now nanoseconds from the start of the run
     * @param int $inFlight requests that may still get a response
     *
     * @throws UnableToReach
     */
    public function demandResponse(int $now, int $inFlight): void
    {
        if ($this->refusal !== null && ! $this->hasResponse && $inFlight === 0 && $now >= self::PATIENCE_NANOS) {
            throw $this->refusal;
        }
    }
}
