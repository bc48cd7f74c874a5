<?php

declare(strict_types=1);

namespace Headroom\Doctor\Kernel\Checks;

use Headroom\Doctor\Check;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Kernel\CounterDelta;
use Headroom\Doctor\Kernel\KernelWindow;
use Headroom\Doctor\Kernel\Process\ServerProcesses;

/**
 * @internal
 */
final readonly class CpuThrottling implements Check
{
    private const SHARE = 0.1;

    /** A period is 100 ms. A process that runs in fewer periods is almost idle. */
    private const LEAST_PERIODS = 4;

    public function examine(Facts $facts): iterable
    {
        $findings = [];

        foreach ($facts->get(KernelWindow::class)->throttled as $programs => $delta) {
            $findings[] = ($delta instanceof FactUnavailable
                ? Finding::unavailable($delta)
                : self::judged($delta))->about($programs);
        }

        $servers = $findings === [] ? $facts->get(ServerProcesses::class) : $facts->find(ServerProcesses::class);

        return [
            ...$findings,
            ...self::unread($servers),
            ...($findings === [] ? [Finding::pass('no server here has a CPU quota')] : []),
        ];
    }

    /** @return list<Finding> of programs whose quota cannot be read */
    private static function unread(?ServerProcesses $servers): array
    {
        $unread = [];

        foreach ($servers->processes ?? [] as $process) {
            try {
                $process->quota();
            } catch (FactUnavailable $e) {
                // A process that has ended has no quota.
                if ($process->isThere()) {
                    $unread[$process->program] ??= Finding::unavailable($e)
                        ->about($process->program);
                }
            }
        }

        return array_values($unread);
    }

    private static function judged(CounterDelta $delta): Finding
    {
        $periods = $delta->by('nr_periods');
        $throttled = $delta->by('nr_throttled');
        $evidence = [$delta->evidence('nr_periods'), $delta->evidence('nr_throttled')];

        return $periods < self::LEAST_PERIODS || $throttled <= self::SHARE * $periods
            ? Finding::pass('the quota hardly throttled the processes during the observation', ...$evidence)
            : Finding::fail(
                "The quota throttled the processes in {$throttled} of {$periods} periods.",
                $evidence,
                'Requests stop for up to a tenth of a second at a time, while CPUs are idle.',
                new Fix(
                    'Raise or remove the quota: CPUQuota= of the unit, --cpus of the container, limits.cpu in'
                        .' Kubernetes. Otherwise start no more PHP processes than the quota has CPUs for.',
                    rollback: 'Set the quota again.',
                ),
            )->observed();
    }
}
