<?php

declare(strict_types=1);

namespace Headroom\Bench\Preload;

/**
 * The preloaded files as the pool reports them. ini_get() also shows the path of a script that never ran.
 *
 * @internal
 */
final readonly class PoolFacts
{
    /** With opcache.file_cache_only, PHP has no shared memory to report. */
    public const SCRIPT = <<<'PHP'
        <?php
        $status = function_exists('opcache_get_status') ? opcache_get_status(false) : false;
        $preload = $status['preload_statistics'] ?? [];
        echo json_encode($status === false ? null : [
            'files' => count(array_diff($preload['scripts'] ?? [], [realpath((string) ini_get('opcache.preload'))])),
            'classes' => count($preload['classes'] ?? []),
            'preload_bytes' => $preload['memory_consumption'] ?? 0,
            'used_bytes' => $status['memory_usage']['used_memory'] ?? 0,
            'free_bytes' => $status['memory_usage']['free_memory'] ?? 0,
            'strings_bytes' => $status['interned_strings_usage']['used_memory'] ?? 0,
            'cached_scripts' => $status['opcache_statistics']['num_cached_scripts'] ?? 0,
        ]);
        PHP;

    /**
     * @param int $files that were preloaded, without the script that lists them
     * @param int $classes that were preloaded, as PHP counts: with interfaces, traits, enums, and unlinked ones
     * @param int $preloadBytes of shared memory
     * @param int $usedBytes of opcache's shared memory, with the buffer of strings
     * @param int $cachedScripts in opcache
     * @param int $warnings "Can't preload" in the log
     */
    public function __construct(
        public int $files,
        public int $classes,
        public int $preloadBytes,
        public int $usedBytes,
        public int $freeBytes,
        public int $stringsBytes,
        public int $cachedScripts,
        public int $warnings,
    ) {}

    /**
     * @param string $body output of SCRIPT
     * @throws UnableToMeasure
     */
    public static function fromJson(string $body, string $variant, int $warnings): self
    {
        $status = json_decode($body, true);
        $number = static fn (string $name): int => is_array($status) && is_int($status[$name] ?? null)
            ? $status[$name]
            : throw UnableToMeasure::noStatus($variant, substr($body, 0, 200));

        return new self(
            $number('files'),
            $number('classes'),
            $number('preload_bytes'),
            $number('used_bytes'),
            $number('free_bytes'),
            $number('strings_bytes'),
            $number('cached_scripts'),
            $warnings,
        );
    }

    /** @return array<string, int> */
    public function toArray(): array
    {
        return [
            'files' => $this->files,
            'classes' => $this->classes,
            'preload_bytes' => $this->preloadBytes,
            'used_bytes' => $this->usedBytes,
            'free_bytes' => $this->freeBytes,
            'strings_bytes' => $this->stringsBytes,
            'cached_scripts' => $this->cachedScripts,
            'warnings' => $this->warnings,
        ];
    }
}
