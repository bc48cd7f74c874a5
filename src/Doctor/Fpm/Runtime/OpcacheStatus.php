<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm\Runtime;

use Headroom\Doctor\Fpm\Status\JsonFields;

/**
 * The opcache of a pool. A value that this version of opcache does not report is null. Counters began at the start of
 * FPM or at the last restart of opcache.
 *
 * @internal
 */
final readonly class OpcacheStatus
{
    /**
     * @param ?bool $isEnabled false if only the pool has opcache.enable=0: the memory exists and nothing is cached
     * @param ?int $ageSeconds since the start of FPM or the restart of opcache
     * @param ?int $hashRestarts because of missing keys; $oomRestarts because of missing memory
     * @param ?float $hitRatePercent of lookups; null before the first
     * @param ?int $internedFreeBytes null without a buffer for interned strings
     * @param ?bool $jitOn whether it compiles: enabled with a buffer of 0 bytes it does not
     */
    private function __construct(
        public ?bool $isEnabled,
        public ?bool $isCacheFull,
        public ?int $usedBytes,
        public ?int $freeBytes,
        public ?int $wastedBytes,
        public ?float $wastedPercent,
        public ?int $internedBufferBytes,
        public ?int $internedFreeBytes,
        public ?int $cachedScripts,
        public ?int $cachedKeys,
        public ?int $maxCachedKeys,
        public ?int $hits,
        public ?int $misses,
        public ?int $blacklistMisses,
        public ?float $hitRatePercent,
        public ?int $ageSeconds,
        public ?int $oomRestarts,
        public ?int $hashRestarts,
        public ?int $manualRestarts,
        public ?bool $jitEnabled,
        public ?bool $jitOn,
        public ?int $jitBufferBytes,
        public ?int $jitBufferFreeBytes,
    ) {}

    /**
     * @param JsonFields $status opcache_get_status(false)
     * @param ?int $now seconds, by the clock of the pool
     */
    public static function fromFields(JsonFields $status, ?int $now): self
    {
        $memory = $status->object('memory_usage');
        $interned = $status->object('interned_strings_usage');
        $counts = $status->object('opcache_statistics');
        $jit = $status->object('jit');
        $hits = $counts->count('hits');
        $misses = $counts->count('misses');
        $began = max($counts->count('start_time') ?? 0, $counts->count('last_restart_time') ?? 0);

        return new self(
            $status->truth('opcache_enabled'),
            $status->truth('cache_full'),
            $memory->count('used_memory'),
            $memory->count('free_memory'),
            $memory->count('wasted_memory'),
            $memory->number('current_wasted_percentage'),
            $interned->count('buffer_size'),
            $interned->count('free_memory'),
            $counts->count('num_cached_scripts'),
            $counts->count('num_cached_keys'),
            $counts->count('max_cached_keys'),
            $hits,
            $misses,
            $counts->count('blacklist_misses'),
            $hits === null || $misses === null || $hits + $misses === 0 ? null : 100 * $hits / ($hits + $misses),
            $began === 0 || $now === null ? null : max(0, $now - $began),
            $counts->count('oom_restarts'),
            $counts->count('hash_restarts'),
            $counts->count('manual_restarts'),
            $jit->truth('enabled'),
            $jit->truth('on'),
            $jit->count('buffer_size'),
            $jit->count('buffer_free'),
        );
    }

    /** Null if opcache does not report its memory. */
    public function totalBytes(): ?int
    {
        return $this->freeBytes === null || $this->usedBytes === null
            ? null
            : $this->freeBytes + $this->usedBytes + ($this->wastedBytes ?? 0);
    }

    public static function megabytes(int $free, int $total): string
    {
        return sprintf('%.1f of %.1f MB', $free / 1_048_576, $total / 1_048_576);
    }
}
