<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Stacks;

/**
 * The lines of tables that are made of a run.
 */
final readonly class Figures
{
    private const WAYS = [
        'excimer-1ms' => 'excimer, each 1 ms of CPU time',
        'excimer-10ms' => 'excimer, each 10 ms',
        'file-99hz' => '`/proc/PID/mem`, 99 a second',
        'vm-99hz' => '`process_vm_readv`, 99 a second',
        'vm-999hz' => '`process_vm_readv`, 999 a second',
        'phpspy-99hz' => 'phpspy, 99 a second',
        'phpspy-999hz' => 'phpspy, 999 a second',
        'phpspy-999hz-paused' => 'phpspy `-S`, 999 a second',
    ];

    /**
     * @param array<mixed> $run
     * @return list<string>
     */
    public static function rows(array $run): array
    {
        $rows = [];

        foreach (self::WAYS as $name => $words) {
            $way = $run['figures']['ways'][$name];
            $tops = $way['tops'];
            $signing = ($tops['Signer::sign'] ?? 0.0) + ($tops['hash_pbkdf2'] ?? 0.0);
            $shares = [$tops['Prices::all'] ?? 0.0, $tops['Tree::depth'] ?? 0.0, $signing];
            $rows[] = sprintf(
                '| %s | %.3f | %s | %s | %s |',
                $words,
                $way['worker_cpu_ratio'],
                $way['kinds'] === null ? 'in the worker' : sprintf('%.3f', $way['sampler_cpu_ratio']),
                $way['kinds'] === null ? 'none' : sprintf('%.1f %%', self::impossible($way['kinds'])),
                implode(', ', array_map(static fn (float $share): string => sprintf('%.0f', 100 * $share), $shares)),
            );
        }

        return $rows;
    }

    /** @param array<string, int> $kinds */
    private static function impossible(array $kinds): float
    {
        $stacks = $kinds['true'] + $kinds['impossible'] + $kinds['unreadable'];

        return $stacks === 0 ? 0.0 : 100 * ($kinds['impossible'] + $kinds['unreadable']) / $stacks;
    }
}
