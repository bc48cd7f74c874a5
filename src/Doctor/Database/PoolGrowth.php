<?php

declare(strict_types=1);

namespace Headroom\Doctor\Database;

use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\FpmPools;
use Headroom\Doctor\Fpm\MemoryLimit;
use Headroom\Doctor\Kernel\MachineMemory;
use Headroom\Doctor\NotApplicable;

/**
 * Whether the machine has memory, and the SQL server connections, for more processes of a pool.
 *
 * @internal
 */
final readonly class PoolGrowth
{
    /** Of memory, a little less than checks F1 and F12 allow. */
    private const SHARE = 0.7;

    /** @return ?string why this number of processes would be too large; other pools may need as many more */
    public static function obstacle(Facts $facts, FpmPool $pool, int $processes): ?string
    {
        $pools = $facts->get(FpmPools::class)->pools;

        try {
            $budget = ConnectionBudget::of($facts, $facts->get(DatabaseServer::class));
            $fits = intdiv($budget->processes(), max(1, count($pools)));

            return match (true) {
                $fits < $processes - $pool->integer('pm.max_children')
                    => "the SQL server has connections for {$fits} more of them (check D1)",
                ! self::hasMemory($facts, $pools, $pool, $processes)
                    => 'it is not known that there is memory for them (check F1)',
                default => null,
            };
        } catch (FactUnavailable|NotApplicable $e) {
            return "it is not known whether there is room for them: {$e->getMessage()}";
        }
    }

    /** @param list<FpmPool> $pools */
    private static function hasMemory(Facts $facts, array $pools, FpmPool $pool, int $processes): bool
    {
        $limit = MemoryLimit::of($pool, $facts->get(MachineMemory::class))->bytes;
        $mean = $pool->memory()->meanPssBytes();
        $others = array_sum(array_map(
            static fn (FpmPool $other): int => $other === $pool
                ? 0
                : $other->integer('pm.max_children') * ($other->memory()->meanPssBytes() ?? 0),
            $pools,
        ));

        return $mean !== null && $processes * $mean + $others <= self::SHARE * $limit / max(1, count($pools));
    }
}
