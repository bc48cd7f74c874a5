<?php

declare(strict_types=1);

namespace Headroom\Report;

use Symfony\Component\Console\Formatter\OutputFormatter;
use Symfony\Component\Console\Helper\Helper;
use Symfony\Component\Console\Helper\Table;
use Symfony\Component\Console\Helper\TableStyle;
use Symfony\Component\Console\Output\BufferedOutput;

/**
 * Symfony's table without a frame and at most 80 columns wide, for a terminal, a pipe or a mail. The first column is
 * text, the others are numbers and stand to the right. When a row is too wide, the first column is cut.
 *
 * @internal
 */
final readonly class TextTable
{
    private const WIDTH = 80;

    private const GAP = '  ';

    private const NARROWEST = 8;

    /** A space without a width, which keeps a backslash and a bracket apart until the table is drawn. */
    private const GUARD = "\u{200B}";

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
        $first = $this->firstWidth();
        $output = new BufferedOutput;
        $table = new Table($output);
        $table->setStyle(self::style(STR_PAD_LEFT))->setColumnStyle(0, self::style(STR_PAD_RIGHT));

        foreach ($this->rows as $row) {
            $row[0] = self::cut($row[0] ?? '', $first);
            // A cell is text: names of logs may look like a style.
            $table->addRow(array_map(self::literal(...), $row));
        }

        $table->render();

        $text = str_replace(self::GUARD, '', rtrim($output->fetch(), "\n"));

        return array_map(rtrim(...), explode("\n", $text));
    }

    /** OutputFormatter::escape() loses a backslash that stands before a bracket. */
    private static function literal(string $cell): string
    {
        return OutputFormatter::escape(str_replace(
            ['\\<', '\\>'],
            ['\\'.self::GUARD.'<', '\\'.self::GUARD.'>'],
            $cell,
        ));
    }

    private static function style(int $padding): TableStyle
    {
        return (new TableStyle)
            ->setHorizontalBorderChars('')
            ->setVerticalBorderChars('', self::GAP)
            ->setDefaultCrossingChar('')
            ->setCellHeaderFormat('%s')
            ->setCellRowFormat('%s')
            ->setCellRowContentFormat('%s')
            ->setPadType($padding);
    }

    private function firstWidth(): int
    {
        $widths = [];

        foreach ($this->rows as $row) {
            foreach ($row as $column => $cell) {
                $widths[$column] = max($widths[$column] ?? 0, Helper::width($cell));
            }
        }

        $first = $widths[0] ?? 0;
        $others = array_sum($widths) - $first + strlen(self::GAP) * (count($widths) - 1);

        return min($first, max(self::NARROWEST, self::WIDTH - $others));
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
}
