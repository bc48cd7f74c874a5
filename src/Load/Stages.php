<?php

declare(strict_types=1);

namespace Headroom\Load;

/**
 * Stages that follow one another.
 */
final readonly class Stages implements ArrivalTimes
{
    /** Of a request: the rounding error of a sum of floats. */
    private const ROUNDING = 1e-6;

    /** @var non-empty-list<Stage> */
    public array $stages;

    public function __construct(Stage $first, Stage ...$others)
    {
        $this->stages = [$first, ...array_values($others)];
    }

    public static function constant(float $number, float $seconds): self
    {
        return new self(new Stage($number, $number, $seconds));
    }

    public function seconds(): float
    {
        return array_sum(array_map(static fn (Stage $stage): float => $stage->seconds, $this->stages));
    }

    public function most(): float
    {
        return max(array_map(static fn (Stage $stage): float => max($stage->from, $stage->to), $this->stages));
    }

    public function at(float $seconds): float
    {
        foreach ($this->stages as $stage) {
            if ($seconds < $stage->seconds) {
                return $stage->at($seconds);
            }

            $seconds -= $stage->seconds;
        }

        return $this->stages[count($this->stages) - 1]->to;
    }

    public function secondsUntil(int $number): ?float
    {
        $before = 0.0;
        $left = (float) $number;

        foreach ($this->stages as $stage) {
            $requests = $stage->requests();

            // A request that is due at the very end belongs to the next stage.
            if ($left < $requests - self::ROUNDING) {
                return $before + $stage->secondsUntil($left);
            }

            $left -= $requests;
            $before += $stage->seconds;
        }

        return null;
    }

    /** @return list<array{from: float, to: float, seconds: float}> */
    public function toArray(): array
    {
        return array_map(static fn (Stage $stage): array => $stage->toArray(), $this->stages);
    }
}
