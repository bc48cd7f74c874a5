<?php

declare(strict_types=1);

namespace Headroom\Report\Page;

/**
 * A value of another source beside the measured one: another machine, an aim. Drawn as a diamond.
 *
 * @internal
 */
final readonly class Reference
{
    /**
     * @param string $label the source: "the article, another machine"; the same label has one entry in the legend
     * @throws InvalidPage
     */
    public function __construct(public int|float $value, public string $label)
    {
        Assert::finite([$value], "reference '{$label}'");
        Assert::text($label, 'label of a reference');
    }

    /** @return array{value: int|float, label: string} */
    public function toArray(): array
    {
        return ['value' => $this->value, 'label' => $this->label];
    }
}
