<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Preload;

use Headroom\Bench\PairedComparison;
use Headroom\Bench\Preload\PreloadFinding;
use Headroom\Bench\Preload\PreloadFindings;

/**
 * The figures of each strategy. CPU time and the first request are compared with an authoritative classmap without
 * preloading, requests per second with Composer's default autoloader.
 */
final readonly class Summary
{
    public const ARTICLE = 'article';

    /** @param array<string, array<string, mixed>> $made figures of the making of each list */
    public function __construct(private PreloadFindings $findings, private array $made) {}

    /** @return list<array<string, mixed>> */
    public function findings(): array
    {
        return array_map(fn (PreloadFinding $finding): array => [
            ...$finding->toArray(),
            'first_request_seen' => $finding->first->isSeen(),
            'rps_ratio_to_plain' => $this->rate($finding),
            'rates_to_plain' => array_map(
                static fn (PairedComparison $rate): array => [...$rate->toArray(), 'seen' => $rate->isSeen()],
                $this->findings->ratesAgainst(Releases::PLAIN, $finding->variant),
            ),
        ], $this->findings->all());
    }

    /** @return array<string, mixed> */
    public function result(): array
    {
        $strategies = [];

        foreach ($this->findings->all() as $finding) {
            $isList = isset($this->made[$finding->variant]) || $finding->variant === self::ARTICLE;
            $isList && $strategies[$finding->variant] = $this->of($finding);
        }

        return ['strategies' => $strategies, 'generate_s' => $this->made['hot']['generate_s'] ?? null];
    }

    /** @return array<string, int|float|bool|null> */
    private function of(PreloadFinding $finding): array
    {
        $light = array_map(static fn (string $page) => $finding->costs[$page], Pages::LIGHT);
        $worst = $finding->worstChange(Pages::LIGHT);

        return [
            // The light page that gains less.
            'cpu_change' => $worst === null ? null : round($worst, 4),
            'cpu_change_seen' => array_filter($light, static fn ($cost): bool => ! $cost->isSeen()) === [],
            'cpu_change_worst_page' => $finding->worstChange($this->findings->pages()) === null
                ? null
                : round((float) $finding->worstChange($this->findings->pages()), 4),
            'rps_ratio' => $this->rate($finding),
            'files' => $finding->facts->files,
            'mb' => round($finding->facts->preloadBytes / 1e6, 1),
            'warnings' => $finding->facts->warnings,
            'pages_changed' => count($finding->changed),
            'first_request_ratio' => round($finding->first->ratio(), 3),
        ];
    }

    /** For the page that gains least. */
    private function rate(PreloadFinding $finding): float
    {
        return round(
            min(array_map(
                static fn (PairedComparison $rate): float => $rate->ratio(),
                $this->findings->ratesAgainst(Releases::PLAIN, $finding->variant),
            )),
            3,
        );
    }
}
