<?php

declare(strict_types=1);

namespace Headroom\Report\Page;

/**
 * Side by side where the screen is wide enough, else one below the other: for pairs of charts.
 *
 * @internal
 */
final readonly class Columns implements Container
{
    /** @param list<Block> $blocks */
    public function __construct(private array $blocks) {}

    public function blocks(): array
    {
        return $this->blocks;
    }

    public function toArray(): array
    {
        return [
            'kind' => 'side',
            'blocks' => array_map(static fn (Block $block): array => $block->toArray(), $this->blocks),
        ];
    }
}
