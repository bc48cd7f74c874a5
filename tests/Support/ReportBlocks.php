<?php

declare(strict_types=1);

namespace Headroom\Tests\Support;

use PHPUnit\Framework\Assert;

/**
 * The blocks that a page of Headroom\Report\Page draws, read from its file.
 *
 * @phpstan-type Row list<string|array{text: string, note: string, tone: string}>
 * @phpstan-type Drawn array<string, mixed>
 * @phpstan-type Section array{id: string, title: string, tone: string, blocks: list<Drawn>}
 */
final readonly class ReportBlocks
{
    /** @param array{what: string, sections: list<Section>} $page */
    private function __construct(private array $page) {}

    public static function of(string $html): self
    {
        Assert::assertSame(
            1,
            preg_match('~<script type="application/json" id="page_data">(.*?)</script>~s', $html, $match),
            'There is no data in it.',
        );
        /** @var array{what: string, sections: list<Section>} $page */
        $page = json_decode($match[1], true, flags: JSON_THROW_ON_ERROR);

        return new self($page);
    }

    /**
     * All that stands there, with | behind each cell of a table or fact, its note behind a space;
     * without the numbers of charts.
     */
    public function words(): string
    {
        return implode("\n", [
            $this->page['what'],
            ...array_map(
                static fn (array $section): string
                    => implode("\n", [$section['title'], ...array_map(self::text(...), $section['blocks'])]),
                $this->page['sections'],
            ),
        ]);
    }

    /** @return array<string, string> tones of the sections that are not plain, by id */
    public function tones(): array
    {
        return array_filter(
            array_column($this->page['sections'], 'tone', 'id'),
            static fn (string $tone): bool => $tone !== 'plain',
        );
    }

    /** @return list<string> of the sections, as they stand */
    public function ids(): array
    {
        return array_column($this->page['sections'], 'id');
    }

    /** @return list<string> texts of what is meant like that: paragraphs and cells */
    public function meant(string $tone): array
    {
        $found = [];

        foreach ($this->blocks() as $block) {
            $cells = $block['kind'] === 'grid' ? array_merge(...self::rows($block)) : [$block];
            $found = [
                ...$found,
                ...array_column(
                    array_filter(
                        $cells,
                        static fn (mixed $cell): bool => is_array($cell) && ($cell['tone'] ?? '') === $tone,
                    ),
                    'text',
                ),
            ];
        }

        /** @var list<string> $found */
        return $found;
    }

    /** @return array<string, array<string, mixed>> by id */
    public function charts(): array
    {
        /** @var array<string, array<string, mixed>> $charts */
        $charts = array_column(
            array_filter($this->blocks(), static fn (array $block): bool => isset($block['numbers'])),
            null,
            'id',
        );

        return $charts;
    }

    /** @return list<array<string, mixed>> of all sections, also those within others */
    private function blocks(): array
    {
        return array_merge(...array_map(
            static fn (array $section): array => self::flat($section['blocks']),
            $this->page['sections'],
        ));
    }

    /**
     * @param list<array<string, mixed>> $blocks
     * @return list<array<string, mixed>> and those within them
     */
    private static function flat(array $blocks): array
    {
        /** @var list<array<string, mixed>> $flat */
        $flat = array_merge(...array_map(
            static fn (array $block): array => isset($block['blocks']) ? self::flat(self::within($block)) : [$block],
            $blocks,
        ));

        return $flat;
    }

    /** @param Drawn $block */
    private static function text(array $block): string
    {
        return match ($block['kind']) {
            'words', 'code' => self::one($block, 'text'),
            'bullets' => implode(
                "\n",
                array_map(static fn (mixed $item): string => is_string($item) ? $item : '', (array) $block['items']),
            ),
            'facts' => self::lines(self::rows($block, 'facts')),
            'grid' => self::lines([...self::rows(['rows' => [$block['headings']]]), ...self::rows($block)]),
            'side', 'details' => implode("\n", array_map(self::text(...), self::within($block))),
            default => self::one($block, 'title')."\n".self::one($block, 'note'),
        };
    }

    /** @param list<Row> $rows */
    private static function lines(array $rows): string
    {
        $lines = '';

        foreach ($rows as $row) {
            foreach ($row as $cell) {
                $lines .= (is_string($cell) ? $cell : rtrim("{$cell['text']} {$cell['note']}")).'|';
            }

            $lines .= "\n";
        }

        return rtrim($lines, "\n");
    }

    /** @param Drawn $block */
    private static function one(array $block, string $key): string
    {
        return is_string($block[$key] ?? null) ? $block[$key] : '';
    }

    /**
     * @param Drawn $block
     * @return list<Drawn>
     */
    private static function within(array $block): array
    {
        /** @var list<Drawn> $blocks */
        $blocks = $block['blocks'];

        return $blocks;
    }

    /**
     * @param Drawn $block
     * @return list<Row>
     */
    private static function rows(array $block, string $key = 'rows'): array
    {
        /** @var list<Row> $rows */
        $rows = $block[$key];

        return $rows;
    }
}
