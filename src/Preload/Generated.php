<?php

declare(strict_types=1);

namespace Headroom\Preload;

/**
 * A list that was made and proven.
 *
 * @internal
 */
final readonly class Generated
{
    /**
     * @param string $path of the script, absolute
     * @param list<string> $files relative to the root, in their order
     * @param int $classes that PHP has preloaded
     * @param int $bytes of shared memory that it takes
     * @param float $startMillis of PHP-FPM with it, $plainStartMillis without
     * @param list<Dropped> $dropped
     * @param list<string> $warnings of PHP when it starts with it
     * @param array<string, int> $pages that answered the same, with their statuses
     * @param array<string, string> $leftOut pages that do not work without preloading, with what was seen
     * @param list<string> $unsteady pages that answer so differently each time that only status,
     *     headers and errors were compared
     * @param bool $isInstalled whether it is in its place now
     * @param bool $isChanged whether it is another than the one before
     */
    public function __construct(
        public Strategy $strategy,
        public Mode $mode,
        public string $path,
        public array $files,
        public int $classes,
        public int $bytes,
        public float $startMillis,
        public float $plainStartMillis,
        public array $dropped,
        public array $warnings,
        public array $pages,
        public array $leftOut,
        public array $unsteady,
        public Gain $gain,
        public bool $isAuthoritative,
        public bool $hasDevPackages,
        public bool $isInstalled,
        public bool $isChanged,
    ) {}
}
