<?php

declare(strict_types=1);

namespace Headroom\Doctor\Database\Checks;

use Headroom\Doctor\Confidence;
use Headroom\Doctor\Database\BufferAdvice;
use Headroom\Doctor\Database\ConnectionBudget;
use Headroom\Doctor\Database\DatabaseServer;
use Headroom\Doctor\Database\DatabaseWindow;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Fpm\Config\PoolEdit;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\FpmPools;
use Headroom\Doctor\Fpm\PoolCheck;
use Headroom\Doctor\Kernel\MachineMemory;
use Headroom\Doctor\Kernel\Process\UsableCpus;
use Headroom\Doctor\NotApplicable;

/**
 * @internal
 */
final readonly class FewProcessesFarAway implements PoolCheck
{
    /** Nearer than this is the same machine or the same rack. */
    private const SECONDS = 0.001;

    /** Above what is just enough, so that a distance that varies does not bring the finding back. */
    private const ADVISED = 1.25;

    /** Of memory, as checks F1 and F12 have it, and a little less. */
    private const SHARE = 0.7;

    /** What a CPU serves of requests that take it 10 ms. */
    private const PER_CPU = 100;

    public function examine(FpmPool $pool, Facts $facts): Finding
    {
        $window = $facts->get(DatabaseWindow::class);
        $cpus = $facts->get(UsableCpus::class);

        $processes = $pool->integer('pm.max_children');
        $waits = max(1e-6, $window->connect + $window->roundTrip);
        $most = $processes / $waits;
        $enough = (int) ceil(round(self::PER_CPU * $cpus->usable() * $waits, 3));
        $evidence = [
            $window->trip(),
            $window->connecting(),
            $pool->evidence('pm.max_children'),
            new Evidence('CPUs', sprintf('%.1f', $cpus->usable()), $cpus->source),
            new Evidence(
                'requests per second at most',
                sprintf('%.0f', $most),
                'processes / (making a connection + a round trip)',
            ),
        ];

        if ($window->roundTrip < self::SECONDS || $processes >= $enough) {
            return Finding::pass(
                $window->roundTrip < self::SECONDS
                    ? 'the database is near'
                    : 'there are processes enough to wait for it',
                ...$evidence,
            );
        }

        $advised = (int) ceil(self::ADVISED * $enough);
        $obstacle = $this->obstacle($facts, $pool, $advised);
        // A pool that takes all memory or all connections is worse than one that waits.
        $edit = $obstacle === null ? PoolEdit::to($pool->settings, 'pm.max_children', (string) $advised) : null;

        return Finding::warn(
            sprintf(
                '%d processes serve %.0f requests per second at most that ask the database once:'
                    .' each waits %.1f ms for it.',
                $processes,
                $most,
                1e3 * $waits,
            ),
            $evidence,
            'Requests wait for a process while the CPUs are idle.',
            new Fix(
                BufferAdvice::insteadOfInserts().' Else '.($obstacle === null
                    ? "start {$advised} processes, for which there are memory (check F1) and connections (D1), or"
                    : "{$advised} processes would be enough, but {$obstacle}; or")
                    .' put a pooler beside PHP, which leaves one round trip of them.',
                $edit === null ? [] : [$edit],
                $edit === null ? [] : [$pool->reload()],
                'Put the line back and reload PHP-FPM.',
            ),
        )->restingOn(Confidence::Observed);
    }

    /** Why so many processes would be too many; other pools may want as many more. */
    private function obstacle(Facts $facts, FpmPool $pool, int $advised): ?string
    {
        $pools = $facts->get(FpmPools::class)->pools;
        $more = $advised - $pool->integer('pm.max_children');

        try {
            $budget = ConnectionBudget::of($facts, $facts->get(DatabaseServer::class));
            $fits = intdiv($budget->processes(), max(1, count($pools)));

            if ($fits < $more) {
                return "the SQL server has connections for {$fits} more of them (check D1)";
            }

            $memory = $facts->get(MachineMemory::class)->totalBytes;
            $limit = min($pool->group()->memoryBytes ?? $memory, $memory);
            $mean = $pool->memory()->meanPssBytes();
            $others = array_sum(
                array_map(
                    static fn (FpmPool $other): int => $other === $pool
                        ? 0
                        : $other->integer('pm.max_children') * ($other->memory()->meanPssBytes() ?? 0),
                    $pools,
                ),
            );

            return $mean === null || $advised * $mean + $others > self::SHARE * $limit / max(1, count($pools))
                ? 'it is not known that there is memory for them (check F1)'
                : null;
        } catch (FactUnavailable|NotApplicable $e) {
            return "whether there is room for them is not known: {$e->getMessage()}";
        }
    }
}
