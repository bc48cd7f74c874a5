<?php

declare(strict_types=1);

namespace Headroom\Spool\RedisStore\Client;

use Headroom\Core\Clock;
use Headroom\Spool\SpoolConfig;
use Headroom\Support\PhpRestrictions;

/**
 * A store that did not answer is left alone for some seconds by all processes of this machine: no request waits for it in
 * vain. The time of a file says since when.
 *
 * @internal
 */
final class CircuitBreakerFile
{
    private readonly string $path;

    private bool $isAsking = false;

    public function __construct(SpoolConfig $config, private readonly Clock $clock, private readonly int $seconds)
    {
        $this->path = "{$config->path}/redis-down";
    }

    /** Once the time is over one process asks; the others go on without it until that one knows. */
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
        $this->isAsking = true;

        return false;
    }

    /** Where it can not be set, each request finds out for itself. */
    public function set(): void
    {
        // touch() makes a file where a link leads to.
        if (! is_link($this->path)) {
            PhpRestrictions::call('touch', $this->path, $this->now());
        }
    }

    /** The one that asked tells the others. */
    public function answered(): void
    {
        if ($this->isAsking) {
            @unlink($this->path);
            $this->isAsking = false;
        }
    }

    private function now(): int
    {
        return intdiv($this->clock->micros(), 1_000_000);
    }
}
