<?php

declare(strict_types=1);

namespace Headroom\Report\Page;

/**
 * Blocks side by side on a wide screen, one below the other on a narrow one: for pairs of charts.
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
