<?php

declare(strict_types=1);

namespace Headroom\Report\Page;

/**
 * A card of the page with a heading. One that alerts has a red edge.
 *
 * @internal
 */
final readonly class Section
{
    /**
     * @param string $id a to z, 0 to 9 and -; unique on the page, as those of charts: `#id` leads there
     * @param list<Block> $blocks
     * @throws InvalidPage
     */
    public function __construct(
        public string $id,
        public string $title,
        public array $blocks,
        public Tone $tone = Tone::Plain,
    ) {
        Assert::id($id);
        Assert::text($title, "title of the section '{$id}'");
        $tone !== Tone::Quiet || throw InvalidPage::tone("tone of the section '{$id}'", $tone);
    }

    /** @return array{id: string, title: string, tone: string, blocks: list<array<string, mixed>>} */
    public function toArray(): array
    {
        return [
            'id' => $this->id,
            'title' => $this->title,
            'tone' => $this->tone->value,
            'blocks' => array_map(static fn (Block $block): array => $block->toArray(), $this->blocks),
        ];
    }
}
