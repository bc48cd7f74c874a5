<?php

declare(strict_types=1);

namespace Headroom\Sink\HttpClient;

use Closure;
use GuzzleHttp\Exception\GuzzleException;
use GuzzleHttp\Promise\PromiseInterface;
use InvalidArgumentException;

/**
 * A request in flight.
 *
 * @internal
 */
final class PendingRequest
{
    /** Enough to send some megabytes. If the server reads more slowly, answer() sends the rest while it waits. */
    private const MAX_TICKS = 200;

    /**
     * @param Closure(): void $tick lets all requests in flight make progress
     * @param Closure(GuzzleException|InvalidArgumentException): string $reason the text for a failure
     */
    public function __construct(
        public readonly Endpoint $to,
        private readonly ResponseReader $reader,
        private readonly PromiseInterface $promise,
        private readonly Closure $tick,
        private readonly Closure $reason,
    ) {}

    /**
     * Sends as much of the request as the server reads now, so that the caller can do other work until the response
     * arrives.
     */
    public function push(): void
    {
        for ($ticks = 0; $ticks < self::MAX_TICKS && $this->isPending() && ! $this->reader->isSent(); $ticks++) {
            ($this->tick)();
        }
    }

    /** @throws UnableToSend */
    public function answer(): HttpResponse
    {
        while ($this->isPending()) {
            ($this->tick)();
        }

        return $this->reader->answer($this->to, $this->failure());
    }

    /** Stops waiting for the response. The server may still process the request. */
    public function cancel(): void
    {
        if ($this->isPending()) {
            $this->promise->cancel();
        }
    }

    /**
     * Returns null if the transfer succeeded. Only the promise knows: Guzzle stores an exception of its callbacks
     * there, and a truncated response would look complete without it. Exceptions that are not transfer failures
     * propagate.
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

    private function isPending(): bool
    {
        return $this->promise->getState() === PromiseInterface::PENDING;
    }
}
