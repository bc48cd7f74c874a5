<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Collector\Report;

use Headroom\Report\Page\Unit;

/**
 * One figure of a part, or the sum of several that count the same, and what it should be.
 */
final readonly class Row
{
    /** @param non-empty-list<string> $paths */
    private function __construct(public string $what, private Unit $unit, private array $paths, private ?Aim $aim) {}

    public static function of(string $what, Unit $unit, string $path, ?Aim $aim = null): self
    {
        return new self($what, $unit, [$path], $aim);
    }

    /** What may not happen at all. */
    public static function none(string $what, string ...$paths): self
    {
        return new self($what, Unit::Count, array_values($paths) ?: ['result/errors'], Aim::atMost(0));
    }

    /** Empty where there is none. */
    public function aim(): string
    {
        return $this->aim === null ? '' : "aim {$this->aim->words($this->unit)}";
    }

    public function measured(?MeasuredPart $part): string
    {
        $value = $this->value($part);

        return $value === null ? '–' : $this->unit->words($value);
    }

    /** In words; empty of a single measurement. */
    public function spread(?MeasuredPart $part): string
    {
        [$spread, $samples] = [$part?->spread($this->paths[0]), $part?->samples($this->paths[0])];

        return $spread === null ? '' : sprintf("spread %.0f\u{a0}%%, median of %d rounds", 100 * $spread, $samples);
    }

    public function outcome(?MeasuredPart $part): Outcome
    {
        $value = $this->value($part);

        return match (true) {
            $value === null => Outcome::NotMeasured,
            $this->aim === null => Outcome::NoAim,
            default => $this->aim->isReachedBy($value) ? Outcome::Reached : Outcome::Missed,
        };
    }

    /** @return bool whether its outcome counts among those of the aims */
    public function isAim(): bool
    {
        return $this->aim !== null;
    }

    private function value(?MeasuredPart $part): ?float
    {
        $values = array_map(static fn (string $path): ?float => $part?->value($path), $this->paths);

        return in_array(null, $values, true) ? null : (float) array_sum($values);
    }
}
