<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Report;

use Headroom\Report\Page\Cell;
use Headroom\Report\Page\Table as PageTable;

/**
 * A table whose cells are templates.
 */
final readonly class Table implements Drawing
{
    /**
     * @param non-empty-list<string> $headings
     * @param list<non-empty-list<string>> $rows
     * @param ?string $list pointer of a list, for which the rows are drawn once an entry, from the entry's figures
     */
    public function __construct(
        private array $headings,
        private array $rows,
        private string $caption = '',
        private ?string $list = null,
    ) {}

    /**
     * The same cells for several things, each with a pointer of its own, which stands for `@` in the cells.
     *
     * @param non-empty-list<string> $headings
     * @param array<string, string> $pointers by label
     * @param list<string> $cells
     */
    public static function each(array $headings, array $pointers, array $cells, string $caption = ''): self
    {
        return new self($headings, array_map(
            static fn (string $label, string $pointer): array
                => [$label, ...array_map(static fn (string $cell): string => strtr($cell, ['@' => $pointer]), $cells)],
            array_keys($pointers),
            $pointers,
        ), $caption);
    }

    public function draw(Figures $figures): array
    {
        $rows = [];

        foreach ($this->list === null ? [$figures] : $figures->entries($this->list) as $from) {
            foreach ($this->rows as $row) {
                $rows[] = array_map(static fn (string $cell): Cell => (new Template($cell))->cell($from), $row);
            }
        }

        return [new PageTable($this->headings, $rows, $this->caption)];
    }
}
