<?php

declare(strict_types=1);

namespace Headroom\Doctor\Laravel;

use Headroom\Doctor\Evidence;

/**
 * A route that holds the lock of its session.
 *
 * @internal
 */
final readonly class BlockingRoute
{
    /** @param list<string> $methods of the route: GET includes HEAD */
    public function __construct(
        public array $methods,
        public string $uri,
        public int $lockSeconds,
        public int $waitSeconds,
    ) {}

    public function isRead(): bool
    {
        return in_array('GET', $this->methods, true);
    }

    public function evidence(): Evidence
    {
        return new Evidence(
            $this->name(),
            "a lock of {$this->lockSeconds} s, waited for up to {$this->waitSeconds} s",
            'artisan route:list',
        );
    }

    public function name(): string
    {
        return implode('|', $this->methods).' /'.ltrim($this->uri, '/');
    }
}
