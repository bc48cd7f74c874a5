<?php

declare(strict_types=1);

namespace Headroom\Spool\RedisStore\Client;

use Headroom\Core\Clock;
use Headroom\Spool\SpoolConfig;
use Headroom\Support\PhpRestrictions;

/**
 * A circuit breaker for Redis that all processes of this machine share. After a failure no process asks Redis for some
 * seconds, so that requests do not wait for a server that is down. The modification time of a file is the time of the
 * failure.
 *
 * @internal
 */
final class CircuitBreakerFile
{
    private readonly string $path;

    private bool $isProbing = false;

    public function __construct(SpoolConfig $config, private readonly Clock $clock, private readonly int $seconds)
    {
        $this->path = "{$config->path}/redis-down";
    }

    /**
     * When the seconds are over, one process asks Redis again. It renews the time of the file first, so that the others
     * go on without Redis until the answer is known.
     */
    public function isSet(): bool
    {
        clearstatcache();
        $since = @filemtime($this->path);

        if ($since === false) {
            return false;
        }

        if (abs($this->now() - $since) < $this->seconds) {
            return true;
        }

        $this->set();
        $this->isProbing = true;

        return false;
    }

    /** Where the file cannot be written, each request finds out for itself that Redis does not answer. */
    public function set(): void
    {
        // touch() would create the file that a symbolic link points to.
        if (! is_link($this->path)) {
            PhpRestrictions::call('touch', $this->path, $this->now());
        }
    }

    /** The process that asked Redis removes the file, so that the others use Redis again. */
    public function answered(): void
    {
        if ($this->isProbing) {
            @unlink($this->path);
            $this->isProbing = false;
        }
    }

    private function now(): int
    {
        return intdiv($this->clock->micros(), 1_000_000);
    }
}
