<?php

declare(strict_types=1);

namespace Headroom\Doctor\Kernel\Checks;

use Headroom\Doctor\Check;
use Headroom\Doctor\Confidence;
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
    /** Of 4 kB as a rule: a megabyte a second. */
    private const PAGES_PER_SECOND = 256.0;

    private const DAY = 86_400.0;

    private const KILLED = '/(?:Out of memory|Memory cgroup out of memory): Killed process/';

    public function examine(Facts $facts): iterable
    {
        $memory = $facts->get(KernelWindow::class)->memory();
        $pages = max($memory->perSecond('pswpin'), $memory->perSecond('pswpout'));
        $evidence = [
            $memory->evidence('pswpin'),
            $memory->evidence('pswpout'),
            ...($memory->has('oom_kill') ? [$memory->evidence('oom_kill')] : []),
        ];
        // What is seen now needs no log, which often only root may read.
        $swaps = $pages > self::PAGES_PER_SECOND;
        $killed = $swaps ? [] : $this->killed($facts, $memory);
        $evidence = [...$evidence, ...$killed];

        if (! $swaps && $killed === []) {
            return [Finding::pass('it neither swaps nor ends processes', ...$evidence)];
        }

        return [Finding::fail(
            $swaps
                ? sprintf('It swaps %.0f pages a second.', $pages)
                : 'The kernel has ended processes for want of memory in the last 24 hours, the last one '
                    .$killed[0]->what.'.',
            $evidence,
            'All requests become slow at once, or a server is gone.',
            new Fix(
                'Lower what takes it: pm.max_children (check F1), maxmemory of Redis, innodb_buffer_pool_size of the'
                    .' SQL server. Or add memory.',
                [],
                ['ps -eo pid,rss,comm --sort=-rss | head'],
                'Nothing was changed.',
                'vmstat 1 5',
            ),
        )->restingOn(Confidence::Observed)];
    }

    /** @return list<Evidence> the last one */
    private function killed(Facts $facts, CounterDelta $memory): array
    {
        // A kernel that has ended nobody since it started needs no log.
        if ($memory->has('oom_kill') && $memory->total('oom_kill') === 0) {
            return [];
        }

        try {
            $lines = $facts->get(KernelLog::class)->matching(self::KILLED, self::DAY);
        } catch (FactUnavailable $e) {
            throw FactUnavailable::because(
                'The kernel has ended processes for want of memory since it started, and when is not to be read:'
                    ." {$e->getMessage()}",
                'sudo dmesg -T | grep -i "killed process"',
            );
        } catch (NotApplicable) {
            return [];
        }

        return $lines === [] ? [] : [$lines[count($lines) - 1]->evidence()];
    }
}
