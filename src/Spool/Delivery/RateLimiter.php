<?php

declare(strict_types=1);

namespace Headroom\Spool\Delivery;

use Headroom\Core\Clock;
use Headroom\Spool\RateLimit;
use Headroom\Spool\Store\State\DeliveryState;
use Headroom\Spool\Store\State\RateWindow;

/**
 * Enforces a bucket's rate limit across flushes, processes and crashes: tokens are saved in the state file before
 * events are sent.
 *
 * @internal
 */
final readonly class RateLimiter
{
    /** @param bool $isShared several machines share the tokens, and their monotonic clocks differ */
    public function __construct(private RateLimit $rate, private Clock $clock, private bool $isShared = false) {}

    /** @return int<0, max> events that may be sent now */
    public function available(DeliveryState $state): int
    {
        return $this->tokens($state)->available($this->rate, $this->now());
    }

    /** @return ?int when a token is free, microseconds since the Unix epoch; null when one is free now */
    public function nextTokenAt(DeliveryState $state): ?int
    {
        $wait = $this->tokens($state)->wait($this->rate, $this->now());

        return $wait === 0 ? null : $this->clock->micros() + $wait;
    }

    /** @param int<0, max> $events */
    public function take(DeliveryState $state, int $events): DeliveryState
    {
        return $events === 0
            ? $state
            : $state->withTokens($this->tokens($state)->take($this->rate, $events, $this->now()));
    }

    private function tokens(DeliveryState $state): RateWindow
    {
        $tokens = $state->tokens ?? new RateWindow;

        return $this->isShared ? $tokens->shared($this->rate, $this->now()) : $tokens;
    }

    private function now(): int
    {
        return $this->isShared ? $this->clock->micros() : intdiv($this->clock->monotonicNanos(), 1000);
    }
}
