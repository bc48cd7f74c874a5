<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm;

use Headroom\Doctor\Edit;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Fpm\Config\PoolEdit;
use Headroom\Doctor\ManualChange;

/**
 * The memory that several pools may use when all of them are busy.
 *
 * @internal
 */
final readonly class MemoryClaims
{
    /**
     * @param list<MemoryClaim> $claims of each PHP-FPM
     * @param list<Evidence> $evidence of each pool
     * @param list<string> $unmeasured pools without a process now
     * @param array<string, int> $bytes of each pool that was measured
     */
    private function __construct(
        public array $claims,
        private array $evidence,
        public array $unmeasured,
        private array $bytes,
    ) {}

    /** @throws FactUnavailable */
    public static function of(FpmPool ...$pools): self
    {
        $claims = [];
        $evidence = [];
        $unmeasured = [];
        $bytes = [];

        foreach ($pools as $pool) {
            $claim = $claims[$pool->master->key] ??= new MemoryClaim($pool);
            $mean = $pool->memory()->meanPssBytes();
            $children = max(0, $pool->integer('pm.max_children'));
            $evidence[] = new Evidence(
                $pool->name(),
                "{$children} x ".($mean === null ? 'not measured' : MemoryLimit::megabytes($mean)),
                '/proc/PID/smaps_rollup',
            );

            if ($mean === null) {
                $unmeasured[] = $pool->name();
            } else {
                $bytes[$pool->name()] = $children * $mean;
            }

            $claims[$pool->master->key] = $mean === null ? $claim->without() : $claim->with($children, $mean);
        }

        return new self(array_values($claims), $evidence, $unmeasured, $bytes);
    }

    /** @return list<Evidence> */
    public function evidence(): array
    {
        return [
            ...$this->evidence,
            ...array_map(static fn (MemoryClaim $claim): Evidence => $claim->evidence(), $this->claims),
        ];
    }

    public function sum(): int
    {
        return array_sum(array_map(static fn (MemoryClaim $claim): int => $claim->bytes(), $this->claims));
    }

    /**
     * Changes with which the pools of each PHP-FPM share these bytes. Each PHP-FPM keeps its share.
     *
     * @return list<Edit|ManualChange>
     */
    public function limited(float $bytes): array
    {
        return array_map(fn (MemoryClaim $claim): Edit|ManualChange => PoolEdit::ofMaster(
            $claim->pool,
            'process.max',
            (string) $claim->processesIn($bytes * $claim->bytes() / $this->sum()),
        ), $this->claims);
    }

    /** @return ?string a pool that may use more than this alone */
    public function poolAbove(float $bytes): ?string
    {
        foreach ($this->bytes as $name => $one) {
            if ($one > $bytes) {
                // PHP makes an integer key of a name such as 8080.
                return "{$name}";
            }
        }

        return null;
    }
}
