<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm\Checks;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\PoolCheck;
use Headroom\Doctor\Fpm\Status\ProcessState;
use Headroom\Doctor\Kernel\CpuWindow;

/**
 * @internal
 */
final readonly class AllProcessesBusy implements PoolCheck
{
    /** With more idle CPU time than this, the processes wait for something other than the CPU. */
    private const MIN_IDLE_SHARE = 0.3;

    public function examine(FpmPool $pool, Facts $facts): Finding
    {
        $status = $pool->status();
        $most = $pool->integer('pm.max_children');
        // One process answers the page, unless the page has a process of its own.
        $own = $pool->text('pm.status_listen') === null ? 1 : 0;
        $busy = $status->inState(ProcessState::Running) + $status->inState(ProcessState::ReadingHeaders) - $own;
        $evidence = [new Evidence(
            'busy processes',
            "{$busy} of {$most}".($own === 1 ? '; one more answers this status page' : ''),
            $status->source,
        )];

        if ($busy < $most - $own || $busy < 1) {
            return Finding::pass('some processes are free', ...$evidence);
        }

        $cpu = $facts->get(CpuWindow::class);
        $idle = sprintf('%.0f %%', 100 * $cpu->idle);
        $evidence[] = new Evidence('idle CPU time', $idle, $cpu->source);

        $all = $most === 1 ? 'The only process is busy' : "All {$most} processes are busy";

        return ($cpu->idle < self::MIN_IDLE_SHARE ? Finding::warn(
            "{$all}, and so are the CPUs.",
            $evidence,
            new Fix(
                'Find out what takes the CPU: opcache (checks O1 to O7), caches of Laravel (L1 to L3), then a profiler.'
                    .' More processes do not help here; more CPUs do.',
            ),
            'Requests wait for a process: more arrive than this machine can compute.',
        ) : Finding::fail(
            "{$all}, and {$idle} of the CPU time is idle:"
                .' requests wait for something other than the CPU.',
            $evidence,
            new Fix(
                'Find out what the processes wait for: enable the slow log (check F8),'
                    .' and read it with headroom logs:slow.'
                    .' If most processes are "Reading headers", see check N5.'
                    .' Checks of Redis and of the SQL server often name the cause.',
            ),
            'Requests wait for a process although the machine is idle.',
        ))->observed();
    }
}
