<?php

declare(strict_types=1);

namespace Headroom\Preload\Generation;

use Headroom\Host\Fpm\UnableToQueryPool;
use Headroom\Preload\Fpm\OpcacheProbe;
use Headroom\Preload\Fpm\PrivateFpm;
use Headroom\Preload\Gain;
use Headroom\Preload\Observation\ObservedPages;
use Headroom\Preload\Page;

/**
 * Measures in a PHP-FPM without preloading how long the classes of a list take to load.
 *
 * @internal
 */
final readonly class GainEstimator
{
    private const MAX_PAGES = 20;

    private const ROUNDS = 5;

    /** @param string $autoload Composer's autoload.php, absolute */
    public function __construct(private PrivateFpm $plain, private string $autoload) {}

    /** @param list<string> $listed classes of the list */
    public function estimate(ObservedPages $pages, array $listed): Gain
    {
        $names = array_fill_keys($listed, true);
        $used = [];

        foreach ($pages->succeeded as [, $classes]) {
            $used[] = count(array_intersect_key(array_fill_keys($classes, true), $names));
        }

        [$loading, $request] = $this->micros($pages->pages(), array_keys($names));

        return new Gain($loading / max(1, count($names)), array_sum($used) / max(1, count($used)), $request);
    }

    /**
     * Loads the classes between two rounds of requests, so that the caches of the CPU hold the application, as they do
     * between two requests in production. Only GET requests are repeated.
     *
     * @param list<Page> $pages
     * @param list<string> $classes
     * @return array{float, ?float} medians: to load all classes; CPU time of a request, null if the kernel does not
     *     report it
     */
    private function micros(array $pages, array $classes): array
    {
        $pages = array_slice(
            array_filter($pages, static fn (Page $page): bool => $page->method === 'GET'),
            0,
            self::MAX_PAGES,
        );
        $loading = [];
        $requests = [];

        try {
            for ($i = 0; $i < self::ROUNDS; $i++) {
                $before = $this->plain->cpuNanos();
                array_map($this->plain->ask(...), $pages);
                $after = $this->plain->cpuNanos();
                $requests[] = $before === null || $after === null || $pages === []
                    ? null
                    : ($after - $before) / 1_000 / count($pages);
                $loading[] = (new OpcacheProbe($this->plain))->loadingMicros($this->autoload, $classes);
            }
        } catch (UnableToQueryPool) {
            // The list is proven and installed by now; only a figure is missing.
        }

        return [self::median($loading) ?? 0.0, self::median($requests)];
    }

    /** @param list<?float> $figures */
    private static function median(array $figures): ?float
    {
        $known = array_filter($figures, is_float(...));
        sort($known);

        return $known[intdiv(count($known), 2)] ?? null;
    }
}
