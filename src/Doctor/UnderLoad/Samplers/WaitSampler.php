<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad\Samplers;

use Headroom\Core\Clock;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\UnderLoad\Waits\ProcessWaits;
use Headroom\Doctor\UnderLoad\Waits\Wait;
use Headroom\Doctor\UnderLoad\Waits\WaitKind;

/**
 * Reads the wait of each process of a pool.
 *
 * @internal
 *
 * @implements Sampler<list<Wait>>
 */
final class WaitSampler implements Sampler
{
    /** A pool that is not static starts processes during the observation. */
    private const REFRESH_NANOS = 1_000_000_000;

    private const ATTEMPTS = 4;

    private int $lookedAt = PHP_INT_MIN;

    /** @var list<int> */
    private array $children = [];

    public function __construct(
        private readonly FpmPool $pool,
        private readonly ProcessWaits $waits,
        private readonly Clock $clock,
    ) {}

    public function subject(): string
    {
        return "what the processes of the pool {$this->pool->name()} wait for";
    }

    public function read(): array
    {
        $now = $this->clock->monotonicNanos();

        if ($now - $this->lookedAt > self::REFRESH_NANOS) {
            $this->lookedAt = $now;
            $this->children = $this->pool->master->children()[$this->pool->name()] ?? [];
        }

        $waits = $this->waits->of($this->children);

        for ($look = 1; $look < self::ATTEMPTS; $look++) {
            $missed = array_values(array_filter($waits, self::isMissed(...)));

            // If two attempts read nothing, the permission is missing, and another attempt would read nothing either.
            if ($missed === [] || ($look > 1 && count($missed) === count($waits))) {
                break;
            }

            $waits = [
                ...array_values(array_filter($waits, static fn (Wait $wait): bool => ! self::isMissed($wait))),
                ...$this->waits->of(array_map(static fn (Wait $wait): int => $wait->pid, $missed)),
            ];
        }

        return $waits;
    }

    /**
     * A connection that is closed before its peer is looked up cannot be resolved. This is frequent if each request
     * opens connections.
     */
    private static function isMissed(Wait $wait): bool
    {
        return $wait->kind === WaitKind::Unknown;
    }
}
