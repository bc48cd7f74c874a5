<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Results;

use Headroom\Bench\Queues\Durability;
use Headroom\Bench\Samples;

/**
 * Why the runs of a variant differ, as far as other measurements explain it.
 *
 * @internal
 */
final readonly class SpreadExplanation
{
    /** Two of three runs. */
    private const FEWEST = 4;

    private const DRIFT = 0.1;

    public function __construct(private Finding $finding) {}

    /** '' if the spread is small. */
    public function words(): string
    {
        $rates = $this->finding->rates();
        $valid = $this->finding->valid();

        if ($rates === null || $rates->spread() <= Finding::SPREAD) {
            return '';
        }

        if (count($valid) < self::FEWEST) {
            return 'there are too few runs to explain it';
        }

        $reasons = array_values(array_filter(
            [
                $this->drift($valid),
                $this->cpu($valid),
                $this->disk($valid),
                $this->stolen($valid),
                $this->errors($valid),
            ],
            static fn (string $reason): bool => $reason !== '',
        ));

        return $reasons === []
            ? 'neither the probes of CPU and disk nor the order of the runs explains it:'
                .' the driver or its server causes it'
            : implode('; ', $reasons);
    }

    /** @param non-empty-list<Outcome> $valid */
    private function drift(array $valid): string
    {
        $rates = array_map(static fn (Outcome $outcome): float => $outcome->perSecond(), $valid);
        $half = intdiv(count($rates), 2);
        $first = (new Samples(array_slice($rates, 0, $half)))->median();
        $change = (new Samples(array_slice($rates, -$half)))->median() / $first - 1;

        return abs($change) > self::DRIFT
            ? sprintf(
                'the second half of the runs was %.0f %% %s than the first',
                100 * abs($change),
                $change > 0 ? 'faster' : 'slower',
            )
            : '';
    }

    /** @param non-empty-list<Outcome> $valid */
    private function cpu(array $valid): string
    {
        $spread = self::range(array_map(
            static fn (Outcome $outcome): float
                => ($outcome->probes['before']->cpuMicros + $outcome->probes['after']->cpuMicros) / 2,
            $valid,
        ));

        return $spread > Finding::SPREAD
            ? sprintf('the speed of the CPU differed by %.0f %% between runs', 100 * $spread)
            : '';
    }

    /** @param non-empty-list<Outcome> $valid */
    private function disk(array $valid): string
    {
        if ($this->finding->variant->facts->durability !== Durability::EachJob) {
            return '';
        }

        $spread = self::range(array_map(
            static fn (Outcome $outcome): float
                => ($outcome->probes['before']->syncMicros + $outcome->probes['after']->syncMicros) / 2,
            $valid,
        ));

        return $spread > 2 * Finding::SPREAD
            ? sprintf('fdatasync differed by %.0f %% between runs, and each job waits for it', 100 * $spread)
            : '';
    }

    /** @param non-empty-list<Outcome> $valid */
    private function stolen(array $valid): string
    {
        $most = max(array_map(static fn (Outcome $outcome): float => $outcome->cpu['stolen'], $valid));

        return $most > 0.02 ? sprintf('other virtual machines took up to %.0f %% of the CPU time', 100 * $most) : '';
    }

    /** @param non-empty-list<Outcome> $valid */
    private function errors(array $valid): string
    {
        $errors = array_map(static fn (Outcome $outcome): int => array_sum($outcome->errors), $valid);
        $first = array_key_first(array_merge(
            [],
            ...array_map(static fn (Outcome $outcome): array => $outcome->errors, $valid),
        ));

        return max($errors) > 0
            ? sprintf(
                'workers had %d to %d errors a run, and wait a second after each (%s)',
                min($errors),
                max($errors),
                $first,
            )
            : '';
    }

    /**
     * Interquartile range as a share of the median.
     *
     * @param non-empty-list<float> $values
     */
    private static function range(array $values): float
    {
        return (new Samples($values))->spread();
    }
}
