<?php

declare(strict_types=1);

namespace Headroom\Load;

/**
 * Stages one after the other.
 */
final readonly class Stages implements DueTimes
{
    /** Of a request: what the last bits of a sum of floats may be wrong by. */
    private const NOTHING = 1e-6;

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

    /** When the request of this number, from 0, is due; null when there are not so many. */
    public function secondsUntil(int $number): ?float
    {
        $before = 0.0;
        $left = (float) $number;

        foreach ($this->stages as $stage) {
            $requests = $stage->requests();

            // The one that is due at the very end is due after it.
            if ($left < $requests - self::NOTHING) {
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
