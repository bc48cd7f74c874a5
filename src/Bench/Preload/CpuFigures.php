<?php

declare(strict_types=1);

namespace Headroom\Bench\Preload;

use Headroom\Bench\PairedComparison;
use Headroom\Bench\Samples;
use OutOfBoundsException;

/**
 * @internal
 */
final class CpuFigures
{
    /** @var array<string, array<string, non-empty-list<CpuSample>>> by variant and page, in the order of the rounds */
    private array $samples = [];

    /** @var array<string, non-empty-list<int>> bytes of the workers, one for each start */
    private array $workers = [];

    /** @var array<string, PoolFacts> */
    private array $facts = [];

    public function addSample(string $variant, string $page, CpuSample $sample): void
    {
        $this->samples[$variant][$page][] = $sample;
    }

    public function addPool(string $variant, int $workerBytes, PoolFacts $facts): void
    {
        $this->workers[$variant][] = $workerBytes;
        $this->facts[$variant] = $facts;
    }

    public function cpu(string $variant, string $page): Samples
    {
        return new Samples($this->micros($variant, $page));
    }

    public function wall(string $variant, string $page): Samples
    {
        return new Samples(array_map(
            static fn (CpuSample $sample): float => $sample->wallMicros,
            $this->samples[$variant][$page] ?? [],
        ));
    }

    public function compared(string $base, string $variant, string $page): PairedComparison
    {
        return PairedComparison::of($this->micros($base, $page), $this->micros($variant, $page));
    }

    public function workerBytes(string $variant): Samples
    {
        return new Samples($this->workers[$variant] ?? []);
    }

    public function facts(string $variant): PoolFacts
    {
        return $this->facts[$variant] ?? throw new OutOfBoundsException("No pool of {$variant} was measured.");
    }

    /** @return list<float> */
    private function micros(string $variant, string $page): array
    {
        return array_map(
            static fn (CpuSample $sample): float => $sample->cpuMicros,
            $this->samples[$variant][$page] ?? [],
        );
    }
}
