<?php

declare(strict_types=1);

namespace Headroom\Preload\Fpm;

/**
 * What opcache reports as preloaded. The settings of php.ini only tell what was asked for.
 *
 * @internal
 */
final readonly class PreloadStatistics
{
    /** @param int $bytes of shared memory */
    public function __construct(public int $scripts, public int $classes, public int $bytes) {}
}
