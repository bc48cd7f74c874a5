<?php

declare(strict_types=1);

namespace Headroom\Collector\Server;

use Headroom\Collector\RecyclePolicy;

/**
 * When a worker asks to be replaced: after the limits of RecyclePolicy, and again if its successor did not start.
 *
 * @internal
 */
final class RecycleRequest
{
    private const RETRY_NANOS = 15_000_000_000;

    private int $dueAt = 0;

    public function __construct(private readonly RecyclePolicy $lifetime) {}

    /**
     * @param int $now nanoseconds of the monotonic clock
     * @param int $memory bytes
     *
     * @return ?string the reason, if the worker asks now
     */
    public function due(int $now, int $memory, int $requests): ?string
    {
        $reason = $now < $this->dueAt ? null : $this->lifetime->over($now, $memory, $requests);

        if ($reason !== null) {
            $this->dueAt = $now + self::RETRY_NANOS;
        }

        return $reason;
    }
}
