<?php

declare(strict_types=1);

namespace Headroom\Preload\Verification;

use Headroom\Preload\DroppedClass;
use Headroom\Preload\Fpm\PreloadStatistics;
use Headroom\Preload\Selection\Selection;

/**
 * A list with which PHP starts and each page answers as without it.
 *
 * @internal
 */
final readonly class VerifiedList
{
    /**
     * @param float $startMillis until PHP-FPM with one worker accepted requests
     * @param list<string> $warnings that PHP logs at its start with the list only
     * @param array<string, DroppedClass> $excluded what verification removed, by file
     */
    public function __construct(
        public Selection $selection,
        public PreloadStatistics $preloaded,
        public float $startMillis,
        public array $warnings,
        public array $excluded,
    ) {}
}
