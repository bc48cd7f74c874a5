<?php

declare(strict_types=1);

namespace Headroom\Collector\Server;

/**
 * When a worker asks to be replaced: once its lifetime is over, and again where its successor did not start.
 *
 * @internal
 */
final class RecycleRequest
{
    private const AGAIN_NANOS = 15_000_000_000;

    private int $nextAt = 0;

    public function __construct(private readonly Lifetime $lifetime) {}

    /**
     * @param int $now nanoseconds of the clock that never runs backwards
     * @param int $memory bytes
     *
     * @return ?string why it is to be replaced, if it is to ask for that now
     */
    public function due(int $now, int $memory, int $requests): ?string
    {
        $why = $now < $this->nextAt ? null : $this->lifetime->over($now, $memory, $requests);

        if ($why !== null) {
            $this->nextAt = $now + self::AGAIN_NANOS;
        }

        return $why;
    }
}
