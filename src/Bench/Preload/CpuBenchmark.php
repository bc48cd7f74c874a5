<?php

declare(strict_types=1);

namespace Headroom\Bench\Preload;

use Closure;
use Headroom\Core\Clock;
use Headroom\Core\SystemClock;
use Headroom\Host\Fpm\UnableToQueryPool;
use Headroom\Preload\Page;
use Headroom\Process\UnableToFindProgram;
use Headroom\Process\UnableToStart;
use Random\Engine\Mt19937;
use Random\Randomizer;

/**
 * The cost of a request for its worker: all variants take turns at a page, some requests each, in another order each
 * round. All pools are restarted now and then, because two processes of one program differ by the layout of their
 * memory.
 *
 * @internal
 */
final readonly class CpuBenchmark
{
    /** By then opcache and the worker's own caches are full. */
    private const WARMING = 25;

    private const BEFORE_TURN = 3;

    /** Turns of a round. The shorter each is, the less the load of the machine differs between them. */
    public const TURNS = 4;

    /**
     * @param non-empty-list<PreloadVariant> $variants the others are compared with the first
     * @param non-empty-list<Page> $pages
     * @param Closure(string): void $log
     */
    public function __construct(
        private array $variants,
        private array $pages,
        private int $seed,
        private Closure $log,
        private Clock $clock = new SystemClock,
    ) {}

    /**
     * @param int<1, max> $starts of all pools
     * @param int<1, max> $rounds between two starts
     * @param int<1, max> $requests of one page by one variant at a time; a round has several such turns
     *
     * @throws UnableToFindProgram
     * @throws UnableToStart
     * @throws UnableToQueryPool
     * @throws UnableToMeasure
     */
    public function run(int $starts, int $rounds, int $requests): CpuFigures
    {
        $figures = new CpuFigures;
        $random = new Randomizer(new Mt19937($this->seed));

        for ($start = 1; $start <= $starts; $start++) {
            VariantPools::run($this->variants, $random, $this->clock, function (
                VariantPools $pools,
            ) use ($figures, $rounds, $requests, $start, $starts): void {
                $this->warm($pools);

                for ($round = 1; $round <= $rounds; $round++) {
                    ($this->log)("CPU time, start {$start} of {$starts}, round {$round} of {$rounds}");
                    $this->round($pools, $requests, $figures);
                }

                // By now all workers have answered the same number of the same requests.
                foreach ($pools->all() as $name => $pool) {
                    $figures->addPool($name, $pool->workerBytes(), $pool->facts());
                }
            });
        }

        return $figures;
    }

    /** @param int<1, max> $requests */
    private function round(VariantPools $pools, int $requests, CpuFigures $figures): void
    {
        foreach ($this->pages as $page) {
            $turns = [];

            for ($turn = 0; $turn < self::TURNS; $turn++) {
                foreach ($pools->shuffled() as $pool) {
                    $turns[$pool->variant->name][] = $pool->sample($page, $requests, self::BEFORE_TURN);
                }
            }

            foreach ($turns as $name => $samples) {
                $figures->addSample($name, $page->name(), CpuSample::together($samples));
            }
        }
    }

    private function warm(VariantPools $pools): void
    {
        foreach ($pools->all() as $pool) {
            foreach ($this->pages as $page) {
                for ($i = 0; $i < self::WARMING; $i++) {
                    $pool->ask($page);
                }
            }
        }
    }
}
