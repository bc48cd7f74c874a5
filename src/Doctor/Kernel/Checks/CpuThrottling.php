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
use Headroom\Doctor\Kernel\Process\ServerProcess;
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
        $throttled = $facts->get(KernelWindow::class)->throttled;
        $servers = $throttled === [] ? $facts->get(ServerProcesses::class) : $facts->find(ServerProcesses::class);

        foreach ($throttled as $programs => $delta) {
            yield ($delta instanceof FactUnavailable ? Finding::unavailable($delta) : self::judged($delta))
                ->about($programs);
        }

        yield from $servers?->ask(static fn (ServerProcess $process): ?string => $process->quota())[1] ?? [];

        if ($throttled === []) {
            yield Finding::pass('no server here has a CPU quota');
        }
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
                new Fix(rollback: 'Set the quota again.'),
            )->observed();
    }
}
