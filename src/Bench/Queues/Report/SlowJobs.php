<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Report;

use Headroom\Bench\Queues\Results\Finding;
use Headroom\Bench\Queues\Results\Findings;

/**
 * Explanations for the rows of jobs that take longer than retry_after.
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
            'Second runs, and jobs that fail though they ran, are expected here:'
                .' each job takes longer than retry_after, so a second worker gets it while the first still runs it.',
        ];

        if ($this->has(static fn (Finding $finding): bool => $finding->variant->workload->workers === 1)) {
            $words[] = 'A single worker gets no job twice: its row says nothing about the driver with several workers.';
        }

        // https://github.com/beanstalkd/beanstalkd/pull/174
        if ($this->has(static fn (Finding $finding): bool => str_starts_with(
            $finding->variant->facts->software,
            'beanstalkd',
        ))) {
            $words[] = 'beanstalkd may miss the deadline of a job while its worker stays connected'
                .' (beanstalkd #174), so fewer jobs run again, which is not an advantage.';
        }

        return $words;
    }

    /** @param callable(Finding): bool $is for rows with counted jobs */
    private function has(callable $is): bool
    {
        return array_filter(
            $this->findings->all,
            static fn (Finding $finding): bool
                => $finding->refused === '' && $finding->outcomes !== [] && $is($finding),
        ) !== [];
    }
}
