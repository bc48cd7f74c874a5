<?php

declare(strict_types=1);

namespace Headroom\Doctor\Live;

use Headroom\Core\Clock;
use Headroom\Doctor\Facts\Fpm\FpmPool;
use Headroom\Doctor\Facts\Waits\ProcessWaits;
use Headroom\Doctor\Facts\Waits\Wait;

/**
 * What each process of a pool waits for.
 *
 * @internal
 *
 * @implements Meter<list<Wait>>
 */
final class WaitMeter implements Meter
{
    /** A pool that is not static starts processes while it is looked at. */
    private const LOOK_AGAIN_NANOS = 1_000_000_000;

    private int $lookedAt = PHP_INT_MIN;

    /** @var list<int> */
    private array $children = [];

    public function __construct(private readonly FpmPool $pool, private readonly ProcessWaits $waits, private readonly Clock $clock) {}

    public function subject(): string
    {
        return "what the processes of the pool {$this->pool->name()} wait for";
    }

    public function read(): array
    {
        $now = $this->clock->monotonicNanos();

        if ($now - $this->lookedAt > self::LOOK_AGAIN_NANOS) {
            $this->lookedAt = $now;
            $this->children = $this->pool->master->children()[$this->pool->name()] ?? [];
        }

        return $this->waits->of($this->children);
    }
}
