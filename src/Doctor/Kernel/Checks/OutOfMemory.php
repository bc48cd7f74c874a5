<?php

declare(strict_types=1);

namespace Headroom\Doctor\Kernel\Checks;

use Headroom\Doctor\Check;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Kernel\CounterDelta;
use Headroom\Doctor\Kernel\KernelLog;
use Headroom\Doctor\Kernel\KernelWindow;
use Headroom\Doctor\NotApplicable;

/**
 * @internal
 */
final readonly class OutOfMemory implements Check
{
    /** A megabyte a second: a page mostly has 4 kB. */
    private const PAGES_PER_SECOND = 256.0;

    private const DAY = 86_400.0;

    private const KILLED = '/(?:Out of memory|Memory cgroup out of memory): Killed process/';

    public function examine(Facts $facts): iterable
    {
        $memory = $facts->get(KernelWindow::class)->memory();
        $pages = max($memory->perSecond('pswpin'), $memory->perSecond('pswpout'));
        $swaps = $pages > self::PAGES_PER_SECOND;
        // A machine that swaps now needs no log, which often only root may read.
        $killed = $swaps ? null : self::lastKilled($facts, $memory);
        $evidence = [
            $memory->evidence('pswpin'),
            $memory->evidence('pswpout'),
            $memory->has('oom_kill') ? $memory->evidence('oom_kill') : null,
            $killed,
        ];

        yield ! $swaps && $killed === null
            ? Finding::pass('the machine does not swap, and the kernel killed no process', ...$evidence)
            : Finding::fail(
                $killed === null
                    ? sprintf('The machine swaps %.0f pages a second.', $pages)
                    : 'The kernel ran out of memory and killed processes in the last 24 hours, the last one'
                        ." {$killed->what}.",
                $evidence,
                new Fix(commands: ['ps -eo pid,rss,comm --sort=-rss | head'], verify: 'vmstat 1 5'),
            )->observed();
    }

    private static function lastKilled(Facts $facts, CounterDelta $memory): ?Evidence
    {
        // A kernel that has killed no process since it started needs no log.
        if ($memory->has('oom_kill') && $memory->total('oom_kill') === 0) {
            return null;
        }

        try {
            return $facts->get(KernelLog::class)->last(self::KILLED, self::DAY);
        } catch (FactUnavailable $e) {
            throw FactUnavailable::because(
                'The kernel has run out of memory and killed processes since it started; its log with the time cannot'
                    ." be read: {$e->getMessage()}",
                'sudo dmesg -T | grep -i "killed process"',
            );
        } catch (NotApplicable) {
            return null;
        }
    }
}
