<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Results;

use Headroom\Bench\Queues\Variant;
use Headroom\Bench\Samples;

/**
 * The results of one variant.
 *
 * @internal
 */
final readonly class Finding
{
    /** A run that the machine slowed down is made again, at most this often in all. */
    public const TRIES = 3;

    /** A larger spread is explained. */
    public const SPREAD = 0.1;

    /**
     * @param list<Outcome> $outcomes of all runs, in their order
     * @param int $rounds that were planned; a run that the machine slowed down is made again in the same round
     * @param string $refused why it could not be measured completely; '' if it was
     */
    public function __construct(
        public Variant $variant,
        public array $outcomes,
        public int $rounds,
        public string $refused = '',
    ) {}

    /** @return list<Outcome> */
    public function valid(): array
    {
        return array_values(array_filter($this->outcomes, static fn (Outcome $outcome): bool => $outcome->isValid()));
    }

    /** @return list<Outcome> those that do not count because of the queue, not of the machine */
    public function invalid(): array
    {
        return array_values(array_filter(
            $this->outcomes,
            static fn (Outcome $outcome): bool => ! $outcome->isValid() && ! $outcome->isThrottled(),
        ));
    }

    public function throttled(): int
    {
        return count(array_filter($this->outcomes, static fn (Outcome $outcome): bool => $outcome->isThrottled()));
    }

    /** Whether all its runs were made, with workers that stayed until the end. */
    public function isMeasured(): bool
    {
        return $this->refused === '' && $this->outcomes !== [] && $this->count(FaultKind::WorkerEnded) === 0;
    }

    /**
     * Jobs per second of the valid runs. Null without valid runs, and for an incomplete measurement: some of its runs
     * do not represent all.
     */
    public function rates(): ?Samples
    {
        $rates = array_map(static fn (Outcome $outcome): float => $outcome->perSecond(), $this->valid());

        return $rates === [] || $this->refused !== '' ? null : new Samples($rates);
    }

    /** Milliseconds from dispatch to start, of all jobs of valid runs; null as for the rates. */
    public function waits(): ?Samples
    {
        $waits = array_merge([], ...array_map(static fn (Outcome $outcome): array => $outcome->waits, $this->valid()));

        return $waits === [] || $this->refused !== '' ? null : new Samples($waits);
    }

    public function count(FaultKind $kind): int
    {
        return array_sum(array_map(static fn (Outcome $outcome): int => $outcome->count($kind), $this->outcomes));
    }

    /**
     * The reasons why runs do not count, and the errors of workers in valid runs. In a scenario about the fates of
     * jobs, only faults that prevent an answer.
     * @return list<string>
     */
    public function notes(bool $isAboutFates = false): array
    {
        $words = $this->refused === '' ? [] : [$this->refused];
        $errors = [];
        $round = 1;
        $tries = 0;

        foreach ($this->outcomes as $outcome) {
            $isLast = ! $outcome->isThrottled() || ++$tries === self::TRIES;

            foreach ($outcome->faults as $fault) {
                $isAboutFates && ! in_array($fault->kind, [FaultKind::WorkerEnded, FaultKind::Throttled], true)
                    ? null
                    : $words[] = sprintf(
                        '%s, round %d %s: %s.',
                        $this->variant->name,
                        $round,
                        $isLast ? 'does not count' : 'was made again',
                        $fault->words,
                    );
            }

            [$round, $tries] = $isLast ? [$round + 1, 0] : [$round, $tries];

            foreach ($isAboutFates ? [] : $outcome->errors as $error => $count) {
                $errors[$error] = ($errors[$error] ?? 0) + $count;
            }
        }

        arsort($errors);
        $first = array_key_first($errors);

        return $first === null
            ? $words
            : [
                ...$words,
                sprintf(
                    '%s: workers had %s errors in all runs, such as %s',
                    $this->variant->name,
                    number_format(array_sum($errors)),
                    $first,
                ),
            ];
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
            'why_spread' => (new SpreadExplanation($this))->words(),
            'outcomes' => array_map(static fn (Outcome $outcome): array => $outcome->toArray(), $this->outcomes),
        ];
    }

    /**
     * @return array{
     *     jobs_per_s: ?float,
     *     iqr_share: ?float,
     *     runs: int,
     *     valid_runs: int,
     *     throttled_runs: int,
     *     lost: int,
     *     double: int,
     *     failed: int,
     * }
     */
    public function summary(): array
    {
        $rates = $this->rates();

        return [
            'jobs_per_s' => $rates === null ? null : round($rates->median(), 2),
            'iqr_share' => $rates === null || count($this->valid()) === 1 ? null : round($rates->spread(), 4),
            'runs' => $this->rounds,
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

        return $waits === null
            ? null
            : [
                'p50' => round($waits->median(), 3),
                'p90' => round($waits->quantile(0.9), 3),
                'p99' => round($waits->quantile(0.99), 3),
                'max' => round($waits->max(), 3),
            ];
    }
}
