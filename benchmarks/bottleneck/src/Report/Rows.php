<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Bottleneck\Report;

use Headroom\Benchmarks\Bottleneck\Stage;

/**
 * The stages as rows of a table in Markdown, as the run prints them and docs/doctor.md has them.
 */
final readonly class Rows
{
    /**
     * @param array<string, mixed> $results of the file
     * @return list<string>
     */
    public static function of(array $results): array
    {
        $rows = [];

        foreach ($results['parts']['stages']['figures']['stages'] ?? [] as $row) {
            [$errors, $mean, , $clients, $new, $cpus] = LoadWords::of($row['load']);
            $named = $row['doctor']['cause'] === null ? 'none' : "`{$row['doctor']['cause']}`";
            $flagged = array_values(array_intersect($row['doctor']['found'], ['R1', 'N5']));
            $rows[] = '| '.Stage::from($row['stage'])->title()
                ." | {$errors} | {$mean} | {$clients} | {$new} | {$cpus} | {$named}"
                .($flagged === [] ? '' : ', '.implode(', ', $flagged)).' |';
        }

        foreach ($results['parts']['fixes']['figures']['mended'] ?? [] as $row) {
            $done = array_filter($row['steps'], static fn (array $step): bool => $step['load'] !== null);

            foreach ($done as $step) {
                [$errors, $mean, , $clients, $new, $cpus] = LoadWords::of($step['load']);
                $rows[] = '| '.Stage::from($row['stage'])->title()
                    .", then {$step['check']} as printed | {$errors} | {$mean} | {$clients} | {$new} | {$cpus} | |";
            }
        }

        return $rows;
    }
}
