<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Queues;

use Headroom\Bench\Queues\Scenarios\Scenario;

/**
 * The figures of a scenario that are compared from run to run.
 */
final readonly class ResultLine
{
    /**
     * @param list<array<string, mixed>> $findings of headroom:bench:queues --json
     * @return array<string, int|float>
     */
    public static function of(Scenario $scenario, array $findings): array
    {
        $result = [];

        foreach ($findings as $finding) {
            $variant = strtolower(str_replace('database:', '', $finding['variant']));
            $name = trim((string) preg_replace('/[^a-z0-9]+/', '_', $variant), '_');
            // A figure for which no run was valid is left out.
            $result += array_filter(match (true) {
                $scenario->isAboutFates() => [
                    "{$name}_double" => $finding['double'],
                    "{$name}_failed" => $finding['failed'],
                ],
                $scenario === Scenario::Arrivals => [
                    "{$name}_wait_p50_ms" => $finding['wait_ms']['p50'] ?? null,
                    "{$name}_wait_p99_ms" => $finding['wait_ms']['p99'] ?? null,
                ],
                $scenario === Scenario::Empty => [
                    "{$name}_jobs_per_s" => $finding['jobs_per_s'],
                    "{$name}_iqr_share" => $finding['iqr_share'],
                    "{$name}_valid_runs" => $finding['valid_runs'],
                    "{$name}_lost" => $finding['lost'],
                    "{$name}_double" => $finding['double'],
                ],
                default => ["{$scenario->value}_{$name}_jobs_per_s" => $finding['jobs_per_s']],
            }, static fn (int|float|null $figure): bool => $figure !== null);
        }

        // Second runs that the scenario provokes do not count.
        return $scenario->isAboutFates() ? $result : [
            ...$result,
            'lost' => array_sum(array_column($findings, 'lost')),
            'double' => array_sum(array_column($findings, 'double')),
        ];
    }
}
