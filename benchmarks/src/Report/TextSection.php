<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Report;

use Headroom\Report\Page\Page;
use Symfony\Component\Console\Helper\Table as Lines;
use Symfony\Component\Console\Output\BufferedOutput;

/**
 * The paragraphs and tables of a page's first section, for a terminal.
 */
final readonly class TextSection
{
    public static function of(Page $page): string
    {
        $output = new BufferedOutput;

        foreach ($page->sections[0]->toArray()['blocks'] as $block) {
            match (true) {
                isset($block['text']) => $output->writeln(['', wordwrap($block['text'], 120)]),
                isset($block['headings']) => self::table($output, $block['headings'], $block['rows']),
                default => null,
            };
        }

        return $output->fetch()."\n";
    }

    /**
     * @param list<string> $headings
     * @param list<list<string|array{text: string}>> $rows
     */
    private static function table(BufferedOutput $output, array $headings, array $rows): void
    {
        $output->writeln('');
        (new Lines($output))->setStyle('compact')->setHeaders($headings)->setRows(array_map(
            static fn (array $row): array
                => array_map(static fn (string|array $cell): string => is_array($cell) ? $cell['text'] : $cell, $row),
            $rows,
        ))->render();
    }
}
