<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Collector;

use Headroom\Bench\Samples;

/**
 * Sides that take turns, round by round, so that other load of the machine affects all of them.
 */
final class Turns
{
    /** @var array<string, list<WrkResult>> */
    private array $results = [];

    /**
     * @param array<string, callable(): WrkResult> $sides
     * @param callable(string): void $log
     */
    public function run(int $rounds, array $sides, callable $log): void
    {
        for ($round = 0; $round < $rounds; $round++) {
            foreach ($round % 2 === 0 ? $sides : array_reverse($sides) as $name => $side) {
                $result = $this->results[$name][] = $side();
                $log(sprintf(
                    '  round %d of %d, %-12s %8.0f requests/s, p99 %.1f ms, %d errors',
                    $round + 1,
                    $rounds,
                    $name,
                    $result->perSecond(),
                    $result->p99Millis,
                    $result->errors(),
                ));
            }
        }
    }

    public function acknowledged(string $side): int
    {
        return array_sum(array_map(static fn (WrkResult $r): int => $r->requests - $r->refused, $this->results[$side]));
    }

    /** @return array<string, array<string, mixed>> */
    public function figures(): array
    {
        return array_map(static fn (array $results): array => [
            'requests_per_second' => (new Samples(array_map(
                static fn (WrkResult $r): float => $r->perSecond(),
                $results,
            )))->toArray(),
            'p50_ms' => (new Samples(array_map(static fn (WrkResult $r): float => $r->p50Millis, $results)))->toArray(),
            'p99_ms' => (new Samples(array_map(static fn (WrkResult $r): float => $r->p99Millis, $results)))->toArray(),
            'errors' => array_sum(array_map(static fn (WrkResult $r): int => $r->errors(), $results)),
        ], $this->results);
    }

    /** @return array<string, mixed> ratios of the rounds */
    public function rates(string $a, string $b): array
    {
        return (new Samples(array_map(
            static fn (WrkResult $x, WrkResult $y): float => $x->perSecond() / max(0.001, $y->perSecond()),
            $this->results[$a],
            $this->results[$b],
        )))->toArray();
    }

    /** @return array<string, mixed> ratios of the rounds */
    public function p99s(string $a, string $b): array
    {
        return (new Samples(array_map(
            static fn (WrkResult $x, WrkResult $y): float => $x->p99Millis / max(0.001, $y->p99Millis),
            $this->results[$a],
            $this->results[$b],
        )))->toArray();
    }
}
