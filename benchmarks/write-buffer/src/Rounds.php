<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\WriteBuffer;

use Closure;
use Headroom\Bench\Samples;
use Headroom\Load\Metrics\LoadResult;
use Headroom\Load\Outcome;

/**
 * The results of sides that take turns, one of each per round.
 */
final class Rounds
{
    /** @var array<string, list<LoadResult>> by side */
    private array $results = [];

    public function add(string $side, LoadResult $result): void
    {
        $this->results[$side][] = $result;
    }

    /**
     * Each side comes first, and follows another one, as often as the others. Three sides have all six orders.
     *
     * @param list<string> $sides
     * @return list<string>
     */
    public static function order(array $sides, int $round): array
    {
        $first = intdiv($round, 2) % count($sides);
        $rotated = [...array_slice($sides, $first), ...array_slice($sides, 0, $first)];

        return $round % 2 === 0 ? $rotated : array_reverse($rotated);
    }

    /** @return array<string, array<string, mixed>> by side */
    public function figures(): array
    {
        return array_map(static function (array $results): array {
            $of = static fn (Closure $figure): array => (new Samples(array_map($figure, $results)))->toArray();
            $percentile = static fn (float $percent): array
                => $of(static fn (LoadResult $r): float => (int) $r->latency()->percentile($percent) / 1000);

            return [
                'requests_per_second' => $of(static fn (LoadResult $r): float => $r->requestsPerSecond()),
                'p50_ms' => $percentile(50.0),
                'p95_ms' => $percentile(95.0),
                'p99_ms' => $percentile(99.0),
            ];
        }, $this->results);
    }

    /** @return ?array<string, mixed> null if a side has not taken part */
    public function rates(string $a, string $b): ?array
    {
        return $this->ratio($a, $b, static fn (LoadResult $r): float => $r->requestsPerSecond());
    }

    /** @return ?array<string, mixed> null if a side has not taken part */
    public function latencies(string $a, string $b, float $percent): ?array
    {
        return $this->ratio($a, $b, static fn (LoadResult $r): float => (float) $r->latency()->percentile($percent));
    }

    public function errors(string ...$sides): int
    {
        return array_sum(array_map(
            static fn (LoadResult $r): int => $r->finished() - $r->count(Outcome::Succeeded),
            $this->of($sides),
        ));
    }

    public function isClientLimited(): bool
    {
        return array_filter(
            $this->of(array_keys($this->results)),
            static fn (LoadResult $r): bool => $r->isClientLimited(),
        ) !== [];
    }

    /**
     * Ratios within a round.
     * @param Closure(LoadResult): float $figure
     * @return ?array<string, mixed>
     */
    private function ratio(string $a, string $b, Closure $figure): ?array
    {
        return isset($this->results[$a], $this->results[$b])
            ? (new Samples(array_map(
                static fn (LoadResult $x, LoadResult $y): float => $figure($y) > 0 ? $figure($x) / $figure($y) : 0.0,
                $this->results[$a],
                $this->results[$b],
            )))->toArray()
            : null;
    }

    /**
     * @param array<string> $sides
     * @return list<LoadResult>
     */
    private function of(array $sides): array
    {
        return array_merge(...array_map(fn (string $side): array => $this->results[$side] ?? [], array_values($sides)));
    }
}
