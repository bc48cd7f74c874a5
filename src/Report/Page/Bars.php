<?php

declare(strict_types=1);

namespace Headroom\Report\Page;

/**
 * The bars of one colour in a BarChart.
 *
 * @internal
 */
final readonly class Bars
{
    /**
     * @param list<int|float|null> $values one for each category of the chart; null for a missing value
     * @param ?int $color 0 to 7, or 8, which is grey; null takes its turn. Give the same to the
     *     same thing in all charts
     * @throws InvalidPage
     */
    public function __construct(public string $name, public array $values, public ?int $color = null)
    {
        Assert::text($name, 'name of bars');
        Assert::finite($values, "bars '{$name}'");
        Assert::color($color);
    }

    /** @return array<string, mixed> */
    public function toArray(): array
    {
        return ['name' => $this->name, 'values' => $this->values, 'color' => $this->color];
    }
}
