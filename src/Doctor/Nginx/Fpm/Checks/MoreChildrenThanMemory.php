<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Fpm\Checks;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Fpm\Config\PoolEdit;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\MemoryLimit;
use Headroom\Doctor\Fpm\PoolCheck;
use Headroom\Doctor\Kernel\MachineMemory;
use Headroom\Doctor\Nginx\Fpm\IdleConnections;

/**
 * @internal
 */
final readonly class MoreChildrenThanMemory implements PoolCheck
{
    /** The rest is for all other programs of the machine. */
    private const SHARE = 0.8;

    /** Leaves room for processes that grow with the requests that they serve. */
    private const ADVISED = 0.6;

    public function examine(FpmPool $pool, Facts $facts): Finding
    {
        $children = $pool->integer('pm.max_children');

        if ($children <= 0) {
            throw FactUnavailable::because("pm.max_children of {$pool->name()} is {$children}.", $pool->dump());
        }

        $mean = $pool->memory()->meanPssBytes() ?? throw FactUnavailable::because(
            "The pool {$pool->name()} has no process to measure now.",
            'sudo cat /proc/PID/smaps_rollup, of a process that has served requests',
        );
        $memory = MemoryLimit::of($pool, $facts->get(MachineMemory::class));
        [$one, $sum, $limit] = array_map(MemoryLimit::megabytes(...), [$mean, $children * $mean, $memory->bytes]);
        $evidence = [
            $pool->evidence('pm.max_children'),
            new Evidence('PSS of a process', $one, '/proc/PID/smaps_rollup, the mean of all'),
            $memory->evidence(),
        ];

        return $children * $mean <= self::SHARE * $memory->bytes
            ? Finding::pass('there is memory for all of them', ...$evidence)
            : Finding::fail(
                "{$children} processes of {$one} need {$sum}, of {$limit}.",
                $evidence,
                self::fix($pool, $facts, max(1, (int) floor(self::ADVISED * $memory->bytes / max(1, $mean)))),
            )->observed();
    }

    private static function fix(FpmPool $pool, Facts $facts, int $fit): Fix
    {
        $starving = IdleConnections::starving($facts, lowered: $pool, children: $fit);

        return $starving->fix(PoolEdit::of($pool, 'pm.max_children', (string) $fit));
    }
}
