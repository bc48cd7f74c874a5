<?php

declare(strict_types=1);

namespace Headroom\Preload\Fpm;

/**
 * What PHP says it has preloaded; php.ini only says what somebody wished for.
 *
 * @internal
 */
final readonly class PreloadStatistics
{
    /** @param int $bytes of shared memory */
    public function __construct(public int $scripts, public int $classes, public int $bytes) {}
}
