<?php

declare(strict_types=1);

namespace Headroom\Report\Page;

/**
 * A row of a RangeChart.
 *
 * @internal
 */
final readonly class QuartileRange
{
    /**
     * @param ?array{int|float, int|float, int|float} $values lower quartile, median, upper quartile;
     *     null where the words stand instead
     * @param string $words what is told of it: "-3.2 %", "not measured"
     * @param bool $isFaint drawn hollow and dashed, because it is not a result
     * @throws InvalidPage
     */
    public function __construct(
        public string $name,
        public ?array $values,
        public string $words,
        public bool $isFaint = false,
    ) {
        Assert::text($name, 'name of a range');
        Assert::text($words, "words of the range '{$name}'");
        Assert::ascending($values ?? [], "range '{$name}'");
    }

    /** @return array<string, mixed> */
    public function toArray(): array
    {
        return ['name' => $this->name, 'values' => $this->values, 'words' => $this->words, 'faint' => $this->isFaint];
    }
}
