<?php

declare(strict_types=1);

namespace Headroom\Load;

/**
 * Two runs side by side.
 */
final readonly class Comparison
{
    private const LONGEST_SECONDS = 3_600.0;

    /**
     * @param float $tolerance the share by which a figure may be worse
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
        return array_map(function (Figure $figure): Difference {
            [$before, $after] = [$this->before->estimate($figure), $this->after->estimate($figure)];
            $margin = $before === null || $after === null ? null : $before->margin($after);

            return new Difference(
                $figure,
                $this->before->figure($figure),
                $this->after->figure($figure),
                $margin,
                $this->tolerance,
                $before === null || $margin === null ? null : $this->secondsFor($figure, $before->value, $margin),
            );
        }, Figure::cases());
    }

    /**
     * @return array<string, array{string, string}> what the two runs were asked to do,
     *     where they were asked differently
     */
    public function plansDiffer(): array
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

        foreach ($this->plansDiffer() as $key => [$before, $after]) {
            $warnings[] = "The comparison is not fair: {$key} was {$before} before and is {$after} now.";
        }

        foreach (['before' => $this->before, 'after' => $this->after] as $name => $run) {
            foreach ($run->doubts as $doubt) {
                $warnings[] = "The run {$name} {$doubt}.";
            }
        }

        return [...$warnings, ...$this->shortness()];
    }

    public function isWorse(): bool
    {
        return array_filter($this->differences(), static fn (Difference $each): bool => $each->isWorse()) !== [];
    }

    /** Whether each figure that decides is known well enough to say that it is worse, or that it is not. */
    public function isJudged(): bool
    {
        return array_filter($this->differences(), static fn (Difference $each): bool => ! $each->isJudged()) === [];
    }

    /** @return list<string> which figures the runs are too short for, and what would be enough */
    private function shortness(): array
    {
        $short = array_values(array_filter(
            $this->differences(),
            static fn (Difference $each): bool => $each->figure->decides() && $each->verdict() === Verdict::TooShort,
        ));

        if ($short === []) {
            return [];
        }

        $names = implode(', ', array_map(static fn (Difference $each): string => $each->figure->value, $short));
        $seconds = array_map(static fn (Difference $difference): ?float => $difference->seconds, $short);
        $percent = round($this->tolerance * 100, 6);

        return ["Too short to judge: {$names}. ".(in_array(null, $seconds, true)
            ? 'The margin of error comes from '.Estimate::FEWEST_BATCHES
                .' seconds with answers, or more, in each run: run them for 10 s or longer.'
            : "To show a change of {$percent} % ".self::effort(max($seconds)))];
    }

    private static function effort(float $seconds): string
    {
        return $seconds > self::LONGEST_SECONDS
            ? 'no run of an hour would be long enough, so much do these vary: look for what else the machine does, and'
                .' give a larger --tolerance.'
            : 'each run would take about '.number_format(ceil($seconds)).' s; or give a larger --tolerance.';
    }

    /** The margin falls with the root of the time. */
    private function secondsFor(Figure $figure, float $before, float $margin): ?float
    {
        $wanted = $this->tolerance * ($figure === Figure::ErrorRate ? 1.0 : $before);

        return $wanted <= 0.0 ? null : min($this->before->seconds, $this->after->seconds) * ($margin / $wanted) ** 2;
    }
}
