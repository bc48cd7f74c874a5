<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues;

use Headroom\Bench\Samples;

/**
 * What was found of one variant.
 *
 * @internal
 */
final readonly class Finding
{
    /** A spread above this is explained. */
    public const SPREAD = 0.1;

    /**
     * @param list<Outcome> $outcomes of all runs, in the order in which they were
     * @param string $refused why it could not be measured, or not to the end; '' when it was
     */
    public function __construct(public Variant $variant, public array $outcomes, public string $refused = '') {}

    /** @return list<Outcome> */
    public function valid(): array
    {
        return array_values(array_filter($this->outcomes, static fn (Outcome $outcome): bool => $outcome->isValid()));
    }

    /** @return list<Outcome> those that are not counted because of the queue, not of the machine */
    public function invalid(): array
    {
        return array_values(array_filter($this->outcomes, static fn (Outcome $outcome): bool => ! $outcome->isValid() && ! $outcome->isThrottled()));
    }

    public function throttled(): int
    {
        return count(array_filter($this->outcomes, static fn (Outcome $outcome): bool => $outcome->isThrottled()));
    }

    /** Jobs per second of the valid runs; null without any. */
    public function rates(): ?Samples
    {
        $rates = array_map(static fn (Outcome $outcome): float => $outcome->perSecond(), $this->valid());

        return $rates === [] ? null : new Samples($rates);
    }

    /** Milliseconds from being pushed to being begun, of all jobs of valid runs. */
    public function waits(): ?Samples
    {
        $waits = array_merge([], ...array_map(static fn (Outcome $outcome): array => $outcome->waits, $this->valid()));

        return $waits === [] ? null : new Samples($waits);
    }

    public function count(FaultKind $kind): int
    {
        return array_sum(array_map(static fn (Outcome $outcome): int => $outcome->count($kind), $this->outcomes));
    }

    /** @return list<string> of each run that is not counted, why; and what workers met in those that are */
    public function complaints(): array
    {
        $words = $this->refused === '' ? [] : [$this->refused];
        $errors = [];

        foreach ($this->outcomes as $at => $outcome) {
            foreach ($outcome->faults as $fault) {
                $words[] = sprintf('%s, run %d is not counted: %s.', $this->variant->name, $at + 1, $fault->words);
            }

            foreach ($outcome->errors as $error => $count) {
                $errors[$error] = ($errors[$error] ?? 0) + $count;
            }
        }

        arsort($errors);
        $first = array_key_first($errors);

        return $first === null ? $words : [...$words, sprintf('%s: workers met %s errors in all runs, such as %s', $this->variant->name, number_format(array_sum($errors)), $first)];
    }

    /** @return array<string, mixed> */
    public function toArray(): array
    {
        $rates = $this->rates();

        return [
            'variant' => $this->variant->name,
            'driver' => $this->variant->facts->toArray(),
            'workload' => ['jobs' => $this->variant->workload->jobs, ...$this->variant->workload->toArray()],
            ...$this->summary(),
            'p25' => $rates === null ? null : round($rates->quantile(0.25), 2),
            'p75' => $rates === null ? null : round($rates->quantile(0.75), 2),
            'wait_ms' => $this->waitsArray(),
            'refused' => $this->refused,
            'why_spread' => (new Spread($this))->words(),
            'outcomes' => array_map(static fn (Outcome $outcome): array => $outcome->toArray(), $this->outcomes),
        ];
    }

    /** @return array{jobs_per_s: ?float, iqr_share: ?float, runs: int, valid_runs: int, throttled_runs: int, lost: int, double: int, failed: int} */
    public function summary(): array
    {
        $rates = $this->rates();

        return [
            'jobs_per_s' => $rates === null ? null : round($rates->median(), 2),
            'iqr_share' => $rates === null ? null : round($rates->spread(), 4),
            'runs' => count($this->outcomes) - $this->throttled(),
            'valid_runs' => count($this->valid()),
            'throttled_runs' => $this->throttled(),
            'lost' => $this->count(FaultKind::Lost),
            'double' => $this->count(FaultKind::Double),
            'failed' => $this->count(FaultKind::Failed),
        ];
    }

    /** @return ?array{p50: float, p90: float, p99: float, max: float} */
    private function waitsArray(): ?array
    {
        $waits = $this->waits();

        return $waits === null ? null : ['p50' => round($waits->median(), 3), 'p90' => round($waits->quantile(0.9), 3), 'p99' => round($waits->quantile(0.99), 3), 'max' => round($waits->max(), 3)];
    }
}
