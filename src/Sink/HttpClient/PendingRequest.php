<?php

declare(strict_types=1);

namespace Headroom\Sink\HttpClient;

use Closure;
use GuzzleHttp\Exception\GuzzleException;
use GuzzleHttp\Promise\PromiseInterface;
use InvalidArgumentException;

/**
 * A request that is under way.
 *
 * @internal
 */
final class PendingRequest
{
    /** Some megabytes. A server that takes no more now is given the rest while its answer is waited for. */
    private const MOST_TICKS = 200;

    /**
     * @param Closure(): void $tick lets all that are under way go on for a moment
     * @param Closure(GuzzleException|InvalidArgumentException): string $reason what a failure is told as
     */
    public function __construct(
        public readonly Endpoint $to,
        private readonly ResponseReader $reception,
        private readonly PromiseInterface $promise,
        private readonly Closure $tick,
        private readonly Closure $reason,
    ) {}

    /** Sends what the other side takes; whoever begins a request has something else to do until the answer comes. */
    public function push(): void
    {
        for ($ticks = 0; $ticks < self::MOST_TICKS && $this->isUnderWay() && ! $this->reception->isSent(); $ticks++) {
            ($this->tick)();
        }
    }

    /** @throws UnableToSend */
    public function answer(): HttpResponse
    {
        while ($this->isUnderWay()) {
            ($this->tick)();
        }

        return $this->reception->answer($this->to, $this->failure());
    }

    /** Nobody waits for it any more; what it brought may have arrived all the same. */
    public function cancel(): void
    {
        if ($this->isUnderWay()) {
            $this->promise->cancel();
        }
    }

    /**
     * Null when the transfer ended well. It asks the promise, which swallows what its callbacks throw: an answer that
     * broke off would count as whole. An exception that is no failure of a transfer goes through.
     */
    private function failure(): ?string
    {
        try {
            $this->promise->wait();
        } catch (GuzzleException|InvalidArgumentException $e) {
            return ($this->reason)($e);
        }

        return null;
    }

    private function isUnderWay(): bool
    {
        return $this->promise->getState() === PromiseInterface::PENDING;
    }
}
