<?php

declare(strict_types=1);

namespace Headroom\Report\Page;

/**
 * A list. Text in `backticks` is set as code.
 *
 * @internal
 */
final readonly class BulletList implements Block
{
    /** @param list<string> $items */
    public function __construct(private array $items) {}

    public function toArray(): array
    {
        return ['kind' => 'bullets', 'items' => $this->items];
    }
}
