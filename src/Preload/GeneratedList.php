<?php

declare(strict_types=1);

namespace Headroom\Preload;

/**
 * A list that was generated and proven.
 *
 * @internal
 */
final readonly class GeneratedList
{
    /**
     * @param string $path of the script, absolute
     * @param list<string> $files relative to the root, in the order of preloading
     * @param int $classes number of classes that PHP has preloaded
     * @param int $bytes of shared memory
     * @param float $startMillis start of PHP-FPM with the list, $plainStartMillis without it
     * @param list<DroppedClass> $dropped
     * @param list<string> $warnings of PHP when it starts with the list
     * @param array<string, int> $pages that answered the same, with their statuses
     * @param array<string, string> $leftOut pages that do not answer without preloading, with the reason
     * @param list<string> $unsteady pages whose answers vary so much that only status, headers and errors were
     *     compared
     * @param bool $isChanged whether it differs from the list that was installed before
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
