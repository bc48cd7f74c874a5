<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Fpm;

use Headroom\Doctor\Confidence;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Fpm\Config\PoolEdit;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\PoolCheck;
use Headroom\Doctor\Kernel\MachineMemory;
use Headroom\Doctor\Nginx\Edits\NginxChange;

/**
 * @internal
 */
final readonly class MoreChildrenThanMemory implements PoolCheck
{
    /** For everything else on the machine. */
    private const SHARE = 0.8;

    /** What is advised leaves room for processes that grow with what they serve. */
    private const ADVISED = 0.6;

    public function examine(FpmPool $pool, Facts $facts): Finding
    {
        $machine = $facts->get(MachineMemory::class);

        $children = $pool->integer('pm.max_children');
        $children > 0
            || throw FactUnavailable::because(
                "pm.max_children of the pool {$pool->name()} is {$children}.",
                $pool->dump(),
            );
        $mean = $pool->memory()->meanPssBytes() ?? throw FactUnavailable::because(
            "The pool {$pool->name()} has no process to measure now.",
            'sudo cat /proc/PID/smaps_rollup, of a process that has served requests',
        );
        $limit = $pool->group()->memoryBytes;
        $most = $limit === null ? $machine->totalBytes : min($limit, $machine->totalBytes);
        $megabytes = static fn (int|float $bytes): string => sprintf('%.0f MB', $bytes / 1_048_576);
        $evidence = [
            $pool->evidence('pm.max_children'),
            new Evidence(
                'PSS of a process',
                $megabytes($mean),
                '/proc/PID/smaps_rollup, the mean of those that run',
            ),
            new Evidence(
                'memory',
                $megabytes($most),
                $limit === null ? $machine->source : (string) $pool->group()->memorySource,
            ),
        ];

        if ($children * $mean <= self::SHARE * $most) {
            return Finding::pass('there is memory for all of them', ...$evidence);
        }

        $fit = max(1, (int) floor(self::ADVISED * $most / max(1, $mean)));
        $edit = PoolEdit::to($pool->settings, 'pm.max_children', (string) $fit);

        $starved = KeepaliveStarvesPool::changesFor($facts, null, 0, $pool, $fit);

        return Finding::fail(
            "{$children} processes of {$megabytes($mean)} are {$megabytes($children * $mean)},"
                ." of {$megabytes($most)}.",
            $evidence,
            'Under load the machine swaps or the kernel ends processes.',
            new Fix(
                "Start {$fit} at most, or add memory.".($starved === []
                    ? ''
                    : ' nginx keeps more connections to it than leave one of them free (check N5): keep none.'),
                [$edit, ...NginxChange::edits(...$starved)],
                [$pool->reload(), ...($starved === [] ? [] : KeepaliveStarvesPool::reloads($facts))],
                'Put the line back and reload PHP-FPM.',
            ),
        )->restingOn(Confidence::Observed);
    }
}
