<?php

declare(strict_types=1);

namespace Headroom\Report\Page;

/**
 * A line of a LineChart.
 *
 * @internal
 */
final readonly class Line
{
    /**
     * @param list<array{int|float, int|float|null}> $points x and y, x ascending; y null leaves a gap
     * @param bool $isDashed for a second line of the same thing: p95 beside p50, with the same colour
     * @param bool $hasSteps keeps a value until the next point, as the depth of a queue does
     * @param ?int $color 0 to 7, or 8, which is grey; null for the next colour. Give the same thing the same colour
     *     in all charts
     * @throws InvalidPage
     */
    public function __construct(
        public string $name,
        public array $points,
        public bool $isDashed = false,
        public bool $hasSteps = false,
        public ?int $color = null,
    ) {
        Assert::text($name, 'name of a line');
        Assert::ascending(array_column($points, 0), "line '{$name}', x");
        Assert::finite($this->values(), "line '{$name}'");
        Assert::color($color);
    }

    /** @return list<int|float|null> */
    public function values(): array
    {
        return array_map(static fn (array $point): int|float|null => $point[1], $this->points);
    }

    /** @return array<string, mixed> */
    public function toArray(): array
    {
        return [
            'name' => $this->name,
            'points' => $this->points,
            'dashed' => $this->isDashed,
            'steps' => $this->hasSteps,
            'color' => $this->color,
        ];
    }

    /** The lowest, the highest and the last value. */
    public function summary(Unit $unit): string
    {
        $values = array_values(array_filter(
            $this->values(),
            static fn (int|float|null $value): bool => $value !== null,
        ));

        return $this->name.' '.match (count($values)) {
            0 => 'not measured',
            1 => $unit->words($values[0]),
            default => "{$unit->words(min($values))} to {$unit->words(max($values))}, in the end"
                ." {$unit->words($values[count($values) - 1])}",
        };
    }
}
