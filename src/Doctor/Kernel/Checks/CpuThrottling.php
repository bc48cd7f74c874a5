<?php

declare(strict_types=1);

namespace Headroom\Doctor\Kernel\Checks;

use Headroom\Doctor\Check;
use Headroom\Doctor\Confidence;
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

    /** A period is 100 ms, and a process that runs in fewer than these is as good as idle. */
    private const PERIODS = 4;

    public function examine(Facts $facts): iterable
    {
        $findings = [];

        foreach ($facts->get(KernelWindow::class)->throttled as $who => $risen) {
            $findings[] = ($risen instanceof FactUnavailable
                ? Finding::unknown($risen->getMessage(), $risen->command)
                : $this->judge($risen))->about($who);
        }

        $servers = $findings === [] ? $facts->get(ServerProcesses::class) : $facts->find(ServerProcesses::class);

        return [
            ...$findings,
            ...$this->unseen($servers),
            ...($findings === [] ? [Finding::pass('no server here has a CPU quota')] : []),
        ];
    }

    /** @return list<Finding> of programs whose quota cannot be read */
    private function unseen(?ServerProcesses $servers): array
    {
        $unseen = [];

        foreach ($servers->processes ?? [] as $process) {
            try {
                $process->quota();
            } catch (FactUnavailable $e) {
                // Who ended meanwhile has none.
                if ($process->isThere()) {
                    $unseen[$process->program] ??= Finding::unknown(
                        $e->getMessage(),
                        $e->command,
                    )->about($process->program);
                }
            }
        }

        return array_values($unseen);
    }

    private function judge(CounterDelta $risen): Finding
    {
        $periods = $risen->by('nr_periods');
        $stopped = $risen->by('nr_throttled');
        $evidence = [$risen->evidence('nr_periods'), $risen->evidence('nr_throttled')];

        return $periods < self::PERIODS || $stopped <= self::SHARE * $periods
            ? Finding::pass('it was hardly stopped while the doctor looked', ...$evidence)
            : Finding::fail(
                "The quota stopped it in {$stopped} of {$periods} periods.",
                $evidence,
                'Requests stand still for up to a tenth of a second at a time, while CPUs are idle.',
                new Fix(
                    'Raise or lift the quota: CPUQuota= of the unit, --cpus of the container, limits.cpu in Kubernetes.'
                        .' Else start no more PHP processes than it has CPUs for.',
                    [],
                    [],
                    'Set it back.',
                ),
            )->restingOn(Confidence::Observed);
    }
}
