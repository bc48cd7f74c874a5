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
        $killed = $swaps ? [] : self::killed($facts, $memory);
        $evidence = [
            $memory->evidence('pswpin'),
            $memory->evidence('pswpout'),
            ...($memory->has('oom_kill') ? [$memory->evidence('oom_kill')] : []),
            ...$killed,
        ];

        yield ! $swaps && $killed === []
            ? Finding::pass('the machine does not swap, and the kernel killed no process', ...$evidence)
            : Finding::fail(
                $swaps
                    ? sprintf('The machine swaps %.0f pages a second.', $pages)
                    : 'The kernel ran out of memory and killed processes in the last 24 hours, the last one '
                        .$killed[0]->what.'.',
                $evidence,
                'All requests become slow at once, or a server is gone.',
                new Fix(
                    'Use less memory: pm.max_children (check F1), maxmemory of Redis, innodb_buffer_pool_size of the'
                        .' SQL server. Or add memory.',
                    commands: ['ps -eo pid,rss,comm --sort=-rss | head'],
                    verify: 'vmstat 1 5',
                ),
            )->observed();
    }

    /** @return list<Evidence> the last process that the kernel killed */
    private static function killed(Facts $facts, CounterDelta $memory): array
    {
        // A kernel that has killed no process since it started needs no log.
        if ($memory->has('oom_kill') && $memory->total('oom_kill') === 0) {
            return [];
        }

        try {
            $lines = $facts->get(KernelLog::class)->matching(self::KILLED, self::DAY);
        } catch (FactUnavailable $e) {
            throw FactUnavailable::because(
                'The kernel has run out of memory and killed processes since it started; its log with the time cannot'
                    ." be read: {$e->getMessage()}",
                'sudo dmesg -T | grep -i "killed process"',
            );
        } catch (NotApplicable) {
            return [];
        }

        return $lines === [] ? [] : [$lines[count($lines) - 1]->evidence()];
    }
}
