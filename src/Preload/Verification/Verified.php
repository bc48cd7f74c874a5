<?php

declare(strict_types=1);

namespace Headroom\Preload\Verification;

use Headroom\Preload\Dropped;
use Headroom\Preload\Fpm\PreloadStatistics;
use Headroom\Preload\Selection\Selection;

/**
 * A list with which nothing was seen to break.
 *
 * @internal
 */
final readonly class Verified
{
    /**
     * @param float $startMillis until PHP-FPM with one worker took requests
     * @param list<string> $warnings that PHP gave at its start, and does not without the list
     * @param array<string, Dropped> $banned what verification took out, by file
     */
    public function __construct(
        public Selection $selection,
        public PreloadStatistics $preloaded,
        public float $startMillis,
        public array $warnings,
        public array $banned,
    ) {}
}
