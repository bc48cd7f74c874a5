<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Results;

use Headroom\Bench\Queues\Workload;
use Headroom\Bench\Samples;

/**
 * The result of one run.
 *
 * @internal
 */
final readonly class Outcome
{
    /**
     * @param int<1, max> $jobs that were queued
     * @param ?float $seconds from the release to the last completion that counts; null if no job completed
     * @param list<array{float, int}> $depth seconds since the release, and the size of the queue
     * @param list<float> $waits milliseconds from dispatch to start; empty if all jobs were queued before the release
     * @param list<Fault> $faults
     * @param array{before: ProbeResult, after: ProbeResult} $probes
     * @param array{busy: float, stolen: float} $cpu
     * @param array<string, int> $errors of workers, and how often each occurred
     */
    public function __construct(
        public int $jobs,
        public int $counted,
        public ?float $seconds,
        public int $executions,
        public array $depth,
        public array $waits,
        public array $faults,
        public array $probes,
        public array $cpu,
        public array $errors,
    ) {}

    public function isValid(): bool
    {
        return $this->faults === [] && $this->seconds !== null;
    }

    /** Whether only the machine's speed spoiled it. A slow machine neither loses a job nor runs it twice. */
    public function isThrottled(): bool
    {
        return $this->faults !== []
            && array_filter($this->faults, static fn (Fault $fault): bool => ! $fault->kind->isOfTheMachine()) === [];
    }

    public function count(FaultKind $kind): int
    {
        return array_sum(array_map(
            static fn (Fault $fault): int => $fault->kind === $kind ? $fault->count : 0,
            $this->faults,
        ));
    }

    public function perSecond(): float
    {
        return $this->seconds === null || $this->seconds <= 0.0 ? 0.0 : $this->counted / $this->seconds;
    }

    /** For the progress messages. */
    public function words(Workload $workload): string
    {
        $waits = $this->waits === [] ? null : new Samples($this->waits);

        return match (true) {
            // This scenario is about the fates of the jobs.
            $workload->millis > 0 => number_format($this->jobs).' jobs'
                .($this->faults === []
                    ? ', each ran once'
                    : ': '.implode('; ', array_map(static fn (Fault $fault): string => $fault->words, $this->faults))),
            $this->isValid() && $waits !== null => sprintf(
                'a job waited %.1f ms, 99 of 100 at most %.1f ms',
                $waits->median(),
                $waits->quantile(0.99),
            ),
            $this->isValid() => number_format($this->perSecond(), $this->perSecond() < 100 ? 1 : 0).' jobs/s',
            default => 'does not count: '
                .($this->faults === []
                    ? 'no job ran'
                    : implode('; ', array_map(static fn (Fault $fault): string => $fault->words, $this->faults))),
        };
    }

    /** @return array<string, mixed> to the nanosecond where figures are computed from it */
    public function toArray(): array
    {
        return [
            'jobs' => $this->jobs,
            'counted' => $this->counted,
            'executions' => $this->executions,
            'seconds' => $this->seconds === null ? null : round($this->seconds, 9),
            'jobs_per_s' => round($this->perSecond(), 2),
            'valid' => $this->isValid(),
            'faults' => array_map(static fn (Fault $fault): array => $fault->toArray(), $this->faults),
            'waits_ms' => array_map(static fn (float $wait): float => round($wait, 6), $this->waits),
            'depth' => array_map(static fn (array $point): array => [round($point[0], 3), $point[1]], $this->depth),
            'probe_before' => $this->probes['before']->toArray(),
            'probe_after' => $this->probes['after']->toArray(),
            'cpu' => $this->cpu,
            'errors' => $this->errors,
        ];
    }
}
