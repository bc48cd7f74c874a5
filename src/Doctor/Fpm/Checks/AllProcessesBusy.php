<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm\Checks;

use Headroom\Doctor\Confidence;
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
    /** From which share of idle CPU time on the processes wait for something else than the CPU. */
    private const IDLE = 0.3;

    public function examine(FpmPool $pool, Facts $facts): Finding
    {
        $status = $pool->status();
        $most = $pool->integer('pm.max_children');
        // One of them answers the page, unless it has a process of its own.
        $busy = $status->inState(ProcessState::Running) + $status->inState(ProcessState::ReadingHeaders)
            + ($pool->text('pm.status_listen') === null ? -1 : 0);
        $evidence = [new Evidence('processes at work', "{$busy} of {$most}", $status->source)];

        if ($busy < $most - ($pool->text('pm.status_listen') === null ? 1 : 0) || $busy < 1) {
            return Finding::pass('there are free ones', ...$evidence);
        }

        $cpu = $facts->get(CpuWindow::class);
        $idle = sprintf('%.0f %%', 100 * $cpu->idle);
        $evidence[] = new Evidence('CPU time that is idle', $idle, $cpu->source);

        return $cpu->idle < self::IDLE ? Finding::warn(
            "All {$most} processes are at work, and so are the CPUs.",
            $evidence,
            'Requests wait for a process, as more come than this machine can compute.',
            new Fix(
                'Find what takes the CPU: opcache (checks O1 to O7), caches of Laravel (L1 to L3), then a profiler.'
                    .' More processes do not help here; another machine does.',
                [],
                [],
                'Nothing was changed.',
            ),
        )->restingOn(Confidence::Observed) : Finding::fail(
            "All {$most} processes are at work, and {$idle} of the CPU time is idle: they wait for something else.",
            $evidence,
            'Requests wait for a process although the machine has nothing to do.',
            new Fix(
                'Find out what they wait for: switch the slow log on (check F8), and read it with headroom slowlog.'
                    .' Checks of Redis and of the SQL server often name it at once.',
                [],
                [],
                'Nothing was changed.',
            ),
        )->restingOn(Confidence::Observed);
    }
}
