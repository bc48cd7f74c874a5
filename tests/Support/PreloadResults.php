<?php

declare(strict_types=1);

namespace Headroom\Tests\Support;

/**
 * Results of the benchmark of preloading that nobody measured.
 */
final readonly class PreloadResults
{
    private const MACHINE = ['cpu' => 'A processor', 'cores' => 2, 'memory_mb' => 4096, 'kernel' => 'Linux 6.1', 'php' => '8.2.0 cli NTS', 'ini' => [], 'commit' => 'abc1234', 'date' => '2026-01-02T03:04:05Z'];

    private const PAGES = ['GET /pages/json', 'GET /pages/blade', 'GET /pages/posts'];

    /** @param array<string, mixed> $figures */
    private function __construct(private array $figures) {}

    /** All lists gain, and but for the article's none changes a page. */
    public static function whole(): self
    {
        $made = ['generate_s' => 8.7, 'files' => 600, 'classes' => 601, 'bytes' => 15_000_000, 'dropped' => 11];
        $lists = ['laravel', 'refined', 'vendors', 'hot', 'hot-laravel'];
        $findings = [];

        foreach (['-o -a' => 1.0, '-o -a again' => 1.0, '-o' => 1.02, 'plain' => 1.4, ...array_fill_keys([...$lists, 'article'], 0.8)] as $variant => $ratio) {
            $findings[] = self::finding($variant, $ratio, ! str_starts_with($variant, '-'));
        }

        return (new self([
            'effort' => ['starts' => 5, 'rounds' => 60, 'requests_per_turn' => 15],
            'ini' => ['opcache.enable' => true, 'opcache.jit' => 'disable', 'opcache.preload' => ''],
            'made' => array_fill_keys($lists, $made),
            'refused' => [],
            'findings' => $findings,
        ]))->with('findings/9/warnings', 3)->with('findings/9/pages_changed', ['GET /pages/alias', 'GET /pages/trap']);
    }

    /** @param string $path such as `findings/7/costs/GET ~pages~json/seen`, where ~ is a slash */
    public function with(string $path, mixed $value): self
    {
        return new self(self::set($this->figures, explode('/', $path), $value));
    }

    public function without(string $variant): self
    {
        $findings = is_array($this->figures['findings']) ? $this->figures['findings'] : [];

        return new self(['findings' => array_values(array_filter($findings, static fn (mixed $finding): bool => is_array($finding) && $finding['variant'] !== $variant))] + $this->figures);
    }

    /** @param array<string, mixed> $machine instead of what the fixture has */
    public function json(bool $isQuick = false, array $machine = []): string
    {
        return json_encode(['experiment' => 'preload', 'quick' => $isQuick, 'result' => [], 'parts' => ['strategies' => ['machine' => [...self::MACHINE, ...$machine], 'figures' => $this->figures, 'result' => []]]], JSON_THROW_ON_ERROR | JSON_PRESERVE_ZERO_FRACTION);
    }

    /** @return array<string, mixed> */
    private static function finding(string $variant, float $ratio, bool $isSeen): array
    {
        $cost = ['cpu_us' => self::samples(1_000.0 * $ratio), 'wall_us' => self::samples(2_000.0), 'cpu_ratio' => self::paired($ratio), 'floor' => 0.01, 'seen' => $isSeen, 'answers_otherwise' => false];

        return [
            'variant' => $variant, 'files' => 600, 'classes' => 601, 'preload_bytes' => 15_100_000, 'warnings' => 0, 'pages_changed' => [],
            'worker_bytes' => self::samples(28_800_000.0), 'start_ms' => self::samples(519.0), 'first_request_ms' => self::samples(79.5),
            'first_request_ratio' => self::paired(0.41), 'first_request_seen' => $isSeen,
            'costs' => array_fill_keys(self::PAGES, $cost),
            'rates' => [],
            'rps_ratio_to_plain' => 1.93,
            'rates_to_plain' => ['GET /pages/json' => ['seen' => $isSeen] + self::paired(2.11), 'GET /pages/blade' => ['seen' => $isSeen] + self::paired(1.93)],
        ];
    }

    /** @return array<string, float|int> */
    private static function samples(float $median): array
    {
        return ['median' => $median, 'min' => 0.9 * $median, 'max' => 1.2 * $median, 'spread' => 0.1, 'samples' => 12];
    }

    /** @return array<string, float|int> */
    private static function paired(float $ratio): array
    {
        return ['ratio' => $ratio, 'p25' => $ratio - 0.02, 'p75' => $ratio + 0.03, 'of_lower_quartiles' => $ratio, 'iqr_share' => 0.05, 'chance' => 0.0, 'rounds' => 60];
    }

    /**
     * @param array<mixed> $in
     * @param non-empty-list<string> $path
     * @return array<string, mixed>
     */
    private static function set(array $in, array $path, mixed $value): array
    {
        $key = strtr(array_shift($path), '~', '/');
        $of = $in[$key] ?? null;
        $in[$key] = $path === [] ? $value : self::set(is_array($of) ? $of : [], $path, $value);

        /** @var array<string, mixed> $in */
        return $in;
    }
}
