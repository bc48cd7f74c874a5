<?php

declare(strict_types=1);

namespace Headroom\Bench\Preload;

use Headroom\Bench\PairedComparison;
use Headroom\Preload\Page;

/**
 * The results of a comparison, a variant at a time.
 *
 * @internal
 */
final readonly class PreloadFindings
{
    /**
     * @param non-empty-list<PreloadVariant> $variants the base and its twin come first
     * @param non-empty-list<Page> $measured
     * @param list<Page> $loaded
     * @param array<string, list<string>> $changed
     * @param array<string, string> $refused variants that did not start or whose workers ended, with their output
     */
    public function __construct(
        private array $variants,
        private array $measured,
        private array $loaded,
        private array $changed,
        public array $refused,
        private CpuFigures $cpu,
        private RestartBenchmark $restarts,
        private ThroughputBenchmark $throughput,
    ) {}

    /** @return list<PreloadFinding> the base and its twin first */
    public function all(): array
    {
        return array_map($this->of(...), $this->variants);
    }

    /** @return list<string> names of the pages whose cost was measured */
    public function pages(): array
    {
        return array_map(static fn (Page $page): string => $page->name(), $this->measured);
    }

    /**
     * The requests per second of a variant against those of another one, paired by round.
     * @return array<string, PairedComparison> by page; empty without load
     */
    public function ratesAgainst(string $base, string $variant): array
    {
        $rates = [];

        foreach ($this->loaded as $page) {
            $rates[$page->name()] = $this->throughput->compared($base, $variant, $page->name());
        }

        return $rates;
    }

    private function of(PreloadVariant $variant): PreloadFinding
    {
        $name = $variant->name;
        $base = $this->variants[0]->name;
        $twin = ($this->variants[1] ?? $this->variants[0])->name;
        $cpu = $rates = [];

        foreach ($this->pages() as $page) {
            $cpu[$page] = new PageCost(
                $this->cpu->cpu($name, $page),
                $this->cpu->wall($name, $page),
                $this->cpu->compared($base, $name, $page),
                $this->cpu->compared($base, $twin, $page)->floor(),
                in_array($page, $this->changed[$name] ?? [], true),
            );
        }

        foreach ($this->loaded as $page) {
            $rates[$page->name()] = new PageRate(
                $this->throughput->perSecond($name, $page->name()),
                $this->throughput->compared($base, $name, $page->name()),
                $this->throughput->workerShare($name, $page->name()),
                $this->throughput->clientShare($name, $page->name()),
            );
        }

        return new PreloadFinding(
            $name,
            $this->cpu->facts($name),
            $this->cpu->workerBytes($name),
            $this->restarts->start($name),
            $this->restarts->first($name),
            $this->restarts->compared($base, $name),
            $cpu,
            $rates,
            $this->changed[$name] ?? [],
        );
    }
}
