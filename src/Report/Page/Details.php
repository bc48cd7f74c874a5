<?php

declare(strict_types=1);

namespace Headroom\Report\Page;

/**
 * Blocks folded behind a summary. On paper they are unfolded.
 *
 * @internal
 */
final readonly class Details implements Container
{
    /**
     * @param list<Block> $blocks
     * @throws InvalidPage
     */
    public function __construct(private string $summary, private array $blocks)
    {
        Assert::text($summary, 'summary of folded details');
    }

    public function blocks(): array
    {
        return $this->blocks;
    }

    public function toArray(): array
    {
        return [
            'kind' => 'details',
            'summary' => $this->summary,
            'blocks' => array_map(static fn (Block $block): array => $block->toArray(), $this->blocks),
        ];
    }
}
