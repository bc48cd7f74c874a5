<?php

declare(strict_types=1);

namespace Headroom\Doctor\Laravel;

/**
 * @internal
 */
final readonly class BlockingRoutes
{
    /** @param list<BlockingRoute> $routes those with ->block() */
    public function __construct(public array $routes) {}
}
