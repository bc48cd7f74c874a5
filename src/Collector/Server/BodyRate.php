<?php

declare(strict_types=1);

namespace Headroom\Collector\Server;

/**
 * Measures how fast the body of a request arrives. Times are monotonic nanoseconds.
 *
 * @internal
 */
final class BodyRate
{
    /** Demanded after the grace period. Without this limit, single bytes could hold a connection for weeks. */
    public const MIN_BYTES_PER_SECOND = 1_024;

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

    /** @return ?int null while the server reads no body */
    public function measuredSince(): ?int
    {
        return $this->since;
    }

    /** @param int $grace seconds */
    public function isTooSlow(int $now, int $grace): bool
    {
        return $this->since !== null
            && $now - $this->since > ($grace + intdiv($this->bytes, self::MIN_BYTES_PER_SECOND)) * 1_000_000_000;
    }
}
