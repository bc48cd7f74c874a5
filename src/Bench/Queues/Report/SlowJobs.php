<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Report;

use Headroom\Bench\Queues\Results\Finding;
use Headroom\Bench\Queues\Results\Findings;

/**
 * What the rows of jobs that take longer than retry_after are read with.
 *
 * @internal
 */
final readonly class SlowJobs
{
    public function __construct(private Findings $findings) {}

    /** @return list<string> */
    public function words(): array
    {
        if (! $this->has(static fn (): bool => true)) {
            return [];
        }

        $words = [
            'That jobs run twice, or are given up though they ran, is expected here:'
                .' each takes longer than retry_after, so it is given to a second worker while the first is at it.',
        ];

        if ($this->has(static fn (Finding $finding): bool => $finding->variant->workload->workers === 1)) {
            $words[] = 'One worker has nobody to give a job to: its row says nothing of the driver with more of them.';
        }

        // https://github.com/beanstalkd/beanstalkd/pull/174
        if ($this->has(static fn (Finding $finding): bool => str_starts_with(
            $finding->variant->facts->software,
            'beanstalkd',
        ))) {
            $words[] = 'beanstalkd may forget when the time of a job is over while its worker stays connected'
                .' (beanstalkd #174): fewer of them come again, and that is no merit.';
        }

        return $words;
    }

    /** @param callable(Finding): bool $is asked of those whose fates are told */
    private function has(callable $is): bool
    {
        return array_filter(
            $this->findings->all,
            static fn (Finding $finding): bool
                => $finding->refused === '' && $finding->outcomes !== [] && $is($finding),
        ) !== [];
    }
}
