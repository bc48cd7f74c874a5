<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Queues;

use Headroom\Bench\Queues\DriverLines;
use Headroom\Bench\Queues\FindingsTable;
use Headroom\Bench\Queues\Saved;
use Headroom\Bench\Queues\Scenario;
use Headroom\Bench\Results\Piece;

/**
 * Findings as the RESULT line and the terminal have them.
 */
final readonly class Figures
{
    /**
     * @param list<array<string, mixed>> $findings of headroom:bench:queues --json
     * @return array<string, int|float>
     */
    public static function result(Scenario $scenario, array $findings): array
    {
        $result = [];

        foreach ($findings as $finding) {
            $name = trim(
                (string) preg_replace(
                    '/[^a-z0-9]+/',
                    '_',
                    strtolower(str_replace('database:', '', $finding['variant'])),
                ),
                '_',
            );
            // What no run was valid for is left out.
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

        // What is provoked is no loss of the benchmark's.
        return $scenario->isAboutFates()
            ? $result
            : $result
                + [
                    'lost' => array_sum(array_column($findings, 'lost')),
                    'double' => array_sum(array_column($findings, 'double')),
                ];
    }

    /** @return list<string> */
    public static function lines(Piece $parts): array
    {
        $lines = $all = [];

        foreach (Scenario::cases() as $scenario) {
            $part = $parts->find($scenario->value);

            if ($part !== null) {
                $all[] = $findings = Saved::findings($part->at('figures'));
                array_push($lines, '', ...(new FindingsTable($scenario, $findings))->lines());
            }
        }

        return $all === [] ? [] : [...$lines, '', ...(new DriverLines($all))->lines()];
    }
}
