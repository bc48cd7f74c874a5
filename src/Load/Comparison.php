<?php

declare(strict_types=1);

namespace Headroom\Load;

/**
 * Two runs side by side.
 */
final readonly class Comparison
{
    public function __construct(private SavedResult $before, private SavedResult $after) {}

    /** @return list<Difference> */
    public function differences(): array
    {
        return array_map(function (Figure $figure): Difference {
            $spreads = [$this->before->spread($figure), $this->after->spread($figure)];

            return new Difference(
                $figure,
                $this->before->figure($figure),
                $this->after->figure($figure),
                // Of the two runs the one that varies more says how much is chance.
                in_array(null, $spreads, true) ? null : max($spreads),
            );
        }, Figure::cases());
    }

    /** @return array<string, array{string, string}> what the two runs were asked to do, where they were asked differently */
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

        if (array_filter($this->differences(), static fn (Difference $difference): bool => $difference->spread !== null) === []) {
            $warnings[] = 'The runs are too short to tell how much their figures vary: every difference may be chance.';
        }

        return $warnings;
    }

    /** @param float $tolerance the share by which a figure may be worse */
    public function isWorse(float $tolerance): bool
    {
        return array_filter($this->differences(), static fn (Difference $difference): bool => $difference->isWorseBy($tolerance)) !== [];
    }
}
