<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Bottleneck;

use Headroom\Core\SystemClock;
use RuntimeException;

/**
 * The application that the doctor examines. The doctor gets its address and nothing else: neither the stage nor its
 * fault.
 */
final readonly class DoctorRun
{
    public function __construct(private Application $application, private string $url) {}

    public function examined(): DoctorReport
    {
        $clock = new SystemClock;
        $start = $clock->monotonicNanos();
        $process = $this->application->artisan(['headroom:doctor', "--url={$this->url}", '--json', '--fail-on=never']);
        $report = json_decode($process->getOutput(), true);

        if (! is_array($report) || ! isset($report['findings'])) {
            throw new RuntimeException(
                "headroom:doctor ended with {$process->getExitCode()}:"
                    ." {$process->getErrorOutput()}{$process->getOutput()}",
            );
        }

        return new DoctorReport($report, round(($clock->monotonicNanos() - $start) / 1e9, 1));
    }
}
