<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Preload;

use Closure;
use Headroom\Bench\Preload\PreloadVariant;
use Headroom\Core\Clock;
use Headroom\Preload\Generation\Generator;
use Headroom\Preload\GeneratorInput;
use Headroom\Preload\Page;
use Headroom\Preload\PreloadConfig;
use Headroom\Preload\Strategy;

/**
 * The lists of all strategies, as `headroom:preload` makes and proves them, each in a file of its own.
 */
final readonly class StrategyList
{
    /** Megabytes of a list: the published lists fit in whole. */
    private const BUDGET_MB = 96;

    /** @param Closure(string): void $log */
    public function __construct(private Releases $releases, private Clock $clock, private Closure $log) {}

    /**
     * @param list<Page> $pages
     * @return array{PreloadVariant, array<string, mixed>} the variant, and figures of the making of its list
     */
    public function variant(Strategy $strategy, array $pages): array
    {
        $plain = $this->releases->variant(Releases::AUTHORITATIVE);
        $root = $plain->site->root;
        $config = PreloadConfig::fromArray(
            [
                'strategy' => $strategy->value,
                'budget_mb' => self::BUDGET_MB,
                'file' => "bootstrap/cache/preload-{$strategy->value}.php",
            ],
            $root,
        );
        $from = $this->clock->monotonicNanos();
        $generated = (new Generator($plain->site, $config, $this->clock, $this->log))->generate(
            new GeneratorInput(named: $pages),
        );

        return [$plain->preloading($strategy->value, $generated->path), [
            'generate_s' => round(($this->clock->monotonicNanos() - $from) / 1e9, 1),
            'files' => count($generated->files),
            'classes' => $generated->classes,
            'bytes' => $generated->bytes,
            'dropped' => count($generated->dropped),
            'warnings' => $generated->warnings,
            'left_out' => $generated->leftOut,
            'gain' => [
                'us_per_class' => round($generated->gain->microsPerClass, 3),
                'classes_per_request' => round($generated->gain->classesPerRequest, 1),
                'share' => $generated->gain->share() === null ? null : round($generated->gain->share(), 4),
            ],
        ]];
    }
}
