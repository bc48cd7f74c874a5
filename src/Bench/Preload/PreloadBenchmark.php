<?php

declare(strict_types=1);

namespace Headroom\Bench\Preload;

use Closure;
use Headroom\Core\Clock;
use Headroom\Core\SystemClock;
use Headroom\Host\Fpm\UnableToQueryPool;
use Headroom\Load\UnableToLoad;
use Headroom\Preload\Page;
use Headroom\Process\UnableToFindProgram;
use Headroom\Process\UnableToStart;
use Random\Engine\Mt19937;
use Random\Randomizer;

/**
 * Compares variants: the answers of their pages, the cost of a request, the cost of a restart, and requests per
 * second.
 *
 * @internal
 */
final readonly class PreloadBenchmark
{
    public const CONCURRENCY = 4;

    private const SEED = 20_261_123;

    /**
     * @param PreloadVariant $base without preloading; the others are compared with it
     * @param list<PreloadVariant> $others
     * @param non-empty-list<Page> $measured
     * @param list<Page> $loaded those whose requests per second are measured, which takes nginx
     * @param list<Page> $looked pages whose answers are compared
     * @param int<1, max> $cores of the machine
     * @param Closure(string): void $log
     */
    public function __construct(
        private PreloadVariant $base,
        private array $others,
        private array $measured,
        private array $loaded,
        private array $looked,
        private int $cores,
        private Closure $log,
        private Clock $clock = new SystemClock,
    ) {}

    /**
     * @throws UnableToFindProgram
     * @throws UnableToStart
     * @throws UnableToQueryPool
     * @throws UnableToLoad
     * @throws UnableToMeasure
     */
    public function run(MeasurementPlan $effort): PreloadFindings
    {
        [$all, $refused] = $this->thatStart();
        [$changed, $broken] = $this->changed($all);
        $all = [
            $this->base,
            $this->base->twin(),
            ...array_values(array_filter(
                array_slice($all, 2),
                static fn (PreloadVariant $variant): bool => ! isset($broken[$variant->name]),
            )),
        ];
        $cpu = (new CpuBenchmark($all, $this->measured, self::SEED, $this->log, $this->clock))->run(
            $effort->starts,
            $effort->rounds,
            $effort->requests,
        );
        $restarts = new RestartBenchmark(
            $all,
            $this->loaded[0] ?? $this->measured[0],
            self::SEED,
            $this->log,
            $this->clock,
        );
        $restarts->run($effort->restarts);
        $throughput = new ThroughputBenchmark(
            $all,
            $this->loaded,
            max(1, $this->cores),
            self::CONCURRENCY,
            max(1, $this->cores),
            self::SEED,
            $this->log,
            $this->clock,
        );
        $this->loaded === [] ? null : $throughput->run($effort->bursts, $effort->burstSeconds);

        return new PreloadFindings(
            $all,
            $this->measured,
            $this->loaded,
            $changed,
            [...$refused, ...$broken],
            $cpu,
            $restarts,
            $throughput,
        );
    }

    /**
     * With a careless list, PHP-FPM may not even start.
     * @return array{non-empty-list<PreloadVariant>, array<string, string>} those that start, and the output of the
     *     others
     */
    private function thatStart(): array
    {
        $all = [$this->base, $this->base->twin()];
        $refused = [];

        foreach ($this->others as $variant) {
            try {
                VariantPool::start($variant, $this->clock)->stop();
                $all[] = $variant;
            } catch (UnableToStart $e) {
                $refused[$variant->name] = $e->getMessage();
            }
        }

        return [$all, $refused];
    }

    /**
     * @param list<PreloadVariant> $all
     * @return array{array<string, list<string>>, array<string, string>} by variant: pages that answer otherwise; the
     *     failure of those whose worker ended instead of answering
     */
    private function changed(array $all): array
    {
        ($this->log)('Answers of the pages');

        return VariantPools::run(
            $all,
            new Randomizer(new Mt19937(self::SEED)),
            $this->clock,
            function (VariantPools $pools): array {
                $plain = [$pools->named($this->base->name), $pools->named($this->base->twin()->name)];
                $changed = $broken = [];

                foreach ($this->looked as $page) {
                    $looks = PageFingerprint::of($page, $plain);

                    if ($looks->status >= 400 && in_array($page, $this->measured, true)) {
                        throw UnableToMeasure::failed($this->base->name, $page->name(), $looks->status);
                    }

                    foreach ($pools->all() as $name => $pool) {
                        try {
                            $changed[$name] = [
                                ...$changed[$name] ?? [], ...($looks->differ($page, $pool) ? [$page->name()] : []),
                            ];
                        } catch (UnableToQueryPool $e) {
                            $broken[$name] ??= "{$page->name()}: {$e->getMessage()}";
                        }
                    }
                }

                return [$changed, $broken];
            },
        );
    }
}
