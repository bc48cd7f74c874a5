<?php

declare(strict_types=1);

namespace Headroom\Load\Run;

use Headroom\Load\Observer;
use Headroom\Load\Plan;
use Headroom\Load\Request;
use Headroom\Load\Tally;
use Headroom\Load\Transport\EncodedRequest;
use Headroom\Load\Transport\Exchange;

/**
 * One simulated user, and the request it has in flight.
 *
 * @internal
 */
final class User
{
    public readonly Exchange $exchange;

    private ?Request $request = null;

    private int $number = 0;

    private int $waited = 0;

    private readonly ?Reading $reading;

    public function __construct(private readonly Plan $plan, private readonly FirstAnswer $firstAnswer)
    {
        $this->exchange = new Exchange;
        $this->reading = Reading::of($plan->keepBytes, $plan->expected?->body);
    }

    /** @param int $waited microseconds since the request was due */
    public function prepare(int $number, Request $request, EncodedRequest $message, int $waited): void
    {
        $this->request = $request;
        $this->waited = $waited;
        $this->number = $number;
        $this->reading?->begin();
        $this->exchange->prepare($message, $this->reading);
    }

    public function settle(Tally $tally, ?Observer $observer, int $inFlight): void
    {
        $exchange = $this->exchange;
        $micros = $exchange->micros();
        $tally->took($exchange);
        $failure = $exchange->failure;

        if ($failure === null) {
            $wrong = $this->request === null ? null : $this->reading?->wrong($this->request);
            $failure = $tally->answered($exchange->status, $micros, $this->waited, $wrong);
        } else {
            $tally->failed($failure, $exchange->message, $micros, $this->waited);
        }

        if ($this->firstAnswer->isWanted()) {
            $this->firstAnswer->take($exchange->head);
        }

        if ($observer !== null && $this->request !== null) {
            $observer->finished(
                $this->number,
                $this->request,
                $exchange->response($failure, $this->reading?->body() ?? '', $this->waited, $inFlight),
            );
        }
    }
}
