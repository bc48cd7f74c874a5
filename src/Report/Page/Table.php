<?php

declare(strict_types=1);

namespace Headroom\Report\Page;

/**
 * A table. The first column heads its rows. A column whose cells are all numbers stands to the right, others to the
 * left. A table that is too wide scrolls; the page does not.
 *
 * @internal
 */
final readonly class Table implements Block
{
    /**
     * @param non-empty-list<string> $headings
     * @param list<list<string|Cell>> $rows each as long as the headings
     * @throws InvalidPage
     */
    public function __construct(private array $headings, private array $rows, private string $caption = '')
    {
        foreach ($rows as $number => $row) {
            Assert::length(
                count($row),
                count($headings),
                'row '.($number + 1).' of the table "'.implode(', ', $headings).'"',
            );
        }
    }

    public function toArray(): array
    {
        return [
            'kind' => 'grid',
            'headings' => $this->headings,
            'rows' => array_map(
                static fn (array $row): array => array_map(
                    static fn (string|Cell $cell): string|array => is_string($cell) ? $cell : $cell->toArray(),
                    $row,
                ),
                $this->rows,
            ),
            'caption' => $this->caption,
        ];
    }
}
