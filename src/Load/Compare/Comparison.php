<?php

declare(strict_types=1);

namespace Headroom\Load\Compare;

/**
 * The comparison of two runs.
 */
final readonly class Comparison
{
    private const LONGEST_SECONDS = 3_600.0;

    /** The error of a few batches is itself uncertain, so shorter runs are not recommended even if they might do. */
    private const SHORTEST_SECONDS = 15;

    /**
     * @param float $tolerance the share by which a metric may get worse
     *
     * @throws UnableToCompare
     */
    public function __construct(private SavedResult $before, private SavedResult $after, private float $tolerance)
    {
        if ($before->run !== null && $before->run === $after->run) {
            throw UnableToCompare::sameRun();
        }
    }

    /** @return list<Difference> */
    public function differences(): array
    {
        return array_map(function (ComparedMetric $metric): Difference {
            [$before, $after] = [$this->before->estimate($metric), $this->after->estimate($metric)];
            $margin = $before === null || $after === null ? null : $before->margin($after);

            return new Difference(
                $metric,
                $this->before->metric($metric),
                $this->after->metric($metric),
                $margin,
                $this->tolerance,
                $before === null || $margin === null ? null : $this->secondsFor($metric, $before->value, $margin),
            );
        }, ComparedMetric::cases());
    }

    /**
     * @return array<string, array{string, string}> the settings that differ, before and after
     */
    public function planDifferences(): array
    {
        $differing = [];

        foreach (array_keys($this->before->plan + $this->after->plan) as $key) {
            $values = [$this->before->plan[$key] ?? 'null', $this->after->plan[$key] ?? 'null'];

            if ($values[0] !== $values[1]) {
                $differing[$key] = $values;
            }
        }

        return $differing;
    }

    /** @return list<string> */
    public function warnings(): array
    {
        $warnings = [];

        foreach ($this->planDifferences() as $key => [$before, $after]) {
            $warnings[] = "The runs are not comparable: {$key} was {$before} before and is {$after} now.";
        }

        foreach (['before' => $this->before, 'after' => $this->after] as $name => $run) {
            foreach ($run->doubts as $doubt) {
                $warnings[] = "The run {$name} {$doubt}.";
            }
        }

        return [...$warnings, ...$this->tooShort()];
    }

    public function isWorse(): bool
    {
        return array_filter($this->differences(), static fn (Difference $each): bool => $each->isWorse()) !== [];
    }

    /** Whether each metric that decides is precise enough for a verdict. */
    public function isJudged(): bool
    {
        return array_filter($this->differences(), static fn (Difference $each): bool => ! $each->isJudged()) === [];
    }

    /** @return list<string> the metrics that the runs are too short for, and the length that is enough */
    private function tooShort(): array
    {
        $short = array_values(array_filter(
            $this->differences(),
            static fn (Difference $each): bool => $each->metric->decides() && $each->verdict() === Verdict::TooShort,
        ));

        if ($short === []) {
            return [];
        }

        $names = implode(', ', array_map(static fn (Difference $each): string => $each->metric->value, $short));
        $seconds = array_map(static fn (Difference $difference): ?float => $difference->seconds, $short);
        $percent = round($this->tolerance * 100, 6);

        return ["Too short to judge: {$names}. ".(in_array(null, $seconds, true)
            ? 'A margin of error needs at least '.Estimate::FEWEST_BATCHES
                .' seconds with responses in each run; run each with at least --duration='.self::SHORTEST_SECONDS.'.'
            : "To show a change of {$percent} % ".self::effort(max($seconds)))];
    }

    private static function effort(float $seconds): string
    {
        return $seconds > self::LONGEST_SECONDS
            ? 'even runs of an hour are too short, because these metrics vary so much: stop other programs on the'
                .' machine, or'
                .' give a larger --tolerance.'
            : sprintf(
                'run each with at least --duration=%d, or give a larger --tolerance.',
                max(self::SHORTEST_SECONDS, ceil($seconds)),
            );
    }

    /** The margin falls with the square root of the time. */
    private function secondsFor(ComparedMetric $metric, float $before, float $margin): ?float
    {
        $wanted = $this->tolerance * ($metric === ComparedMetric::ErrorRate ? 1.0 : $before);

        return $wanted <= 0.0 ? null : min($this->before->seconds, $this->after->seconds) * ($margin / $wanted) ** 2;
    }
}
