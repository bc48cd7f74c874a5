<?php

declare(strict_types=1);

namespace Headroom\Report;

use Symfony\Component\Console\Helper\Helper;

/**
 * Plain lines for a terminal, a pipe or a mail: no frame, no colour, at most 80 columns. The first column is text, the
 * others are numbers and stand to the right. When a row is too wide, the first column is cut.
 *
 * @internal
 */
final readonly class TextTable
{
    private const WIDTH = 80;

    private const GAP = 2;

    private const NARROWEST = 8;

    /** @param list<list<string>> $rows */
    private function __construct(private array $rows) {}

    /** @param non-empty-list<string> $headings */
    public static function of(array $headings): self
    {
        return new self([$headings]);
    }

    /** A cell that is missing is empty; one that has no heading is left out. */
    public function with(string ...$cells): self
    {
        $columns = count($this->rows[0] ?? []);
        $row = [];

        for ($i = 0; $i < $columns; $i++) {
            $row[] = preg_replace('/[\x00-\x1f\x7f]+/', ' ', array_values($cells)[$i] ?? '') ?? '';
        }

        return new self([...$this->rows, $row]);
    }

    public function isEmpty(): bool
    {
        return count($this->rows) === 1;
    }

    /** @return list<string> */
    public function lines(): array
    {
        $widths = $this->widths();

        return array_map(function (array $row) use ($widths): string {
            $line = '';

            foreach ($row as $column => $cell) {
                $line .= $column === 0
                    ? self::padded(self::cut($cell, $widths[0] ?? 0), $widths[0] ?? 0, false)
                    : str_repeat(' ', self::GAP).self::padded($cell, $widths[$column] ?? 0, true);
            }

            return rtrim($line);
        }, $this->rows);
    }

    /** @return array<int, int> */
    private function widths(): array
    {
        $widths = [];

        foreach ($this->rows as $row) {
            foreach ($row as $column => $cell) {
                $widths[$column] = max($widths[$column] ?? 0, Helper::width($cell));
            }
        }

        $first = $widths[0] ?? 0;
        $others = array_sum($widths) - $first + self::GAP * (count($widths) - 1);
        $widths[0] = min($first, max(self::NARROWEST, self::WIDTH - $others));

        return $widths;
    }

    private static function cut(string $cell, int $width): string
    {
        if (Helper::width($cell) <= $width) {
            return $cell;
        }

        $length = Helper::length($cell);

        do {
            $cut = Helper::substr($cell, 0, --$length).'…';
        } while ($length > 0 && Helper::width($cut) > $width);

        return $cut;
    }

    private static function padded(string $cell, int $width, bool $right): string
    {
        $space = str_repeat(' ', max(0, $width - Helper::width($cell)));

        return $right ? $space.$cell : $cell.$space;
    }
}
