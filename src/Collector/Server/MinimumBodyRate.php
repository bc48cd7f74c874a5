<?php

declare(strict_types=1);

namespace Headroom\Collector\Server;

/**
 * Measures how fast the body of a request arrives. Times are monotonic nanoseconds.
 *
 * @internal
 */
final class MinimumBodyRate
{
    /**
     * Minimum rate in bytes per second after the grace period. Without it, single bytes could
     * hold a connection for weeks.
     */
    public const BYTES = 1_024;

    private ?int $since = null;

    private int $bytes = 0;

    public function add(int $bytes, int $now): void
    {
        $this->since ??= $now;
        $this->bytes += $bytes;
    }

    /** While the server does not read, the client is not slow. */
    public function pause(): void
    {
        $this->since = null;
    }

    /** @return ?int null if no body is being read */
    public function since(): ?int
    {
        return $this->since;
    }

    /** @param int $grace seconds */
    public function isTooSlow(int $now, int $grace): bool
    {
        return $this->since !== null
            && $now - $this->since > ($grace + intdiv($this->bytes, self::BYTES)) * 1_000_000_000;
    }
}
