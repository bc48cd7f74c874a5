<?php

declare(strict_types=1);

namespace Headroom\Report\Page;

/**
 * A value of somebody else's beside ours: another machine's, an aim. Drawn as a diamond.
 *
 * @internal
 */
final readonly class Reference
{
    /**
     * @param string $label whose it is: "the article, another machine"; the same label has one entry in the legend
     * @throws InvalidPage
     */
    public function __construct(public int|float $value, public string $label)
    {
        Check::finite([$value], "reference '{$label}'");
        Check::text($label, 'label of a reference');
    }

    /** @return array{value: int|float, label: string} */
    public function toArray(): array
    {
        return ['value' => $this->value, 'label' => $this->label];
    }
}
