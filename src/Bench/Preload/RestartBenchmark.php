<?php

declare(strict_types=1);

namespace Headroom\Bench\Preload;

use Closure;
use Headroom\Bench\PairedComparison;
use Headroom\Bench\Samples;
use Headroom\Core\Clock;
use Headroom\Core\SystemClock;
use Headroom\Host\Fpm\UnableToQueryPool;
use Headroom\Preload\Page;
use Headroom\Process\UnableToFindProgram;
use Headroom\Process\UnableToStart;
use Random\Engine\Mt19937;
use Random\Randomizer;

/**
 * The first request after a restart, and the duration of the restart: each variant is started alone, in another order
 * each round. Files are in the page cache, as on a server that runs.
 *
 * @internal
 */
final class RestartBenchmark
{
    /** @var array<string, non-empty-list<float>> milliseconds until a worker waits */
    private array $starts = [];

    /** @var array<string, non-empty-list<float>> milliseconds of the first request */
    private array $firsts = [];

    /**
     * @param list<PreloadVariant> $variants
     * @param Closure(string): void $log
     */
    public function __construct(
        private readonly array $variants,
        private readonly Page $page,
        private readonly int $seed,
        private readonly Closure $log,
        private readonly Clock $clock = new SystemClock,
    ) {}

    /**
     * @throws UnableToFindProgram
     * @throws UnableToStart
     * @throws UnableToQueryPool
     */
    public function run(int $rounds): void
    {
        $random = new Randomizer(new Mt19937($this->seed));

        for ($round = 1; $round <= $rounds; $round++) {
            ($this->log)("Restarts, round {$round} of {$rounds}");

            foreach ($random->shuffleArray($this->variants) as $variant) {
                $pool = VariantPool::start($variant, $this->clock);

                try {
                    $this->starts[$variant->name][] = $pool->startMillis;
                    $this->firsts[$variant->name][] = $pool->askedMillis($this->page);
                } finally {
                    $pool->stop();
                }
            }
        }
    }

    public function start(string $variant): Samples
    {
        return new Samples($this->starts[$variant] ?? []);
    }

    public function first(string $variant): Samples
    {
        return new Samples($this->firsts[$variant] ?? []);
    }

    public function compared(string $base, string $variant): PairedComparison
    {
        return PairedComparison::of($this->firsts[$base] ?? [], $this->firsts[$variant] ?? []);
    }
}
