<?php

declare(strict_types=1);

namespace Headroom\Collector\Server;

/**
 * How the body of a request comes. Times are nanoseconds of the clock that never runs backwards.
 *
 * @internal
 */
final class MinimumBodyRate
{
    /** In a second, behind the first seconds: one byte now and then would hold a connection for weeks. */
    public const BYTES = 1_024;

    private ?int $since = null;

    private int $bytes = 0;

    public function came(int $bytes, int $now): void
    {
        $this->since ??= $now;
        $this->bytes += $bytes;
    }

    /** There is none. */
    public function end(): void
    {
        $this->since = null;
        $this->bytes = 0;
    }

    /** While nothing is read it is not the client who is slow. */
    public function pause(): void
    {
        $this->since = null;
    }

    /** @return ?int null when none is being read */
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
