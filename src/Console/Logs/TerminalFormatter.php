<?php

declare(strict_types=1);

namespace Headroom\Console\Logs;

use Headroom\Doctor\Logs\FrequencyRow;
use Headroom\Doctor\Logs\UnparsedLines;
use Headroom\Report\Format;
use Headroom\Report\TextTable;
use Headroom\Support\TerminalText;

/**
 * Formats the content of logs for a terminal of 80 columns.
 *
 * @internal
 */
final readonly class TerminalFormatter
{
    private const WIDTH = 80;

    /** Names of styles by the lines that have them. */
    public const STYLES = [
        '/^[a-z_]+: [\d,]+$/' => 'high',
        '/^(kind|waiting for|waiting in|innermost|first frame|pool|script|hour of)\b.* (count|share)\b/' => 'heading',
        '/^Most frequent: /' => 'warning',
        '/^No entry needs an action\.$/' => 'passed',
        '/^  Next: /' => 'command',
    ];

    /** Width of a table's first column, so that two columns of numbers fit next to it. */
    private const NAME = 56;

    /** @return list<string> */
    public static function paragraph(string $text, string $indent = ''): array
    {
        $lines = explode("\n", wordwrap($text, self::WIDTH - strlen($indent), "\n"));

        return array_map(static fn (string $line): string => $indent.$line, $lines);
    }

    /**
     * @param list<FrequencyRow> $ranked
     * @return list<string> empty without a row
     */
    public static function ranking(string $heading, array $ranked, string $counted): array
    {
        $table = TextTable::of([$heading, $counted, 'share']);

        foreach ($ranked as $one) {
            $table = $table->with('  '.self::name($one->name), Format::count($one->count), Format::share($one->share));
        }

        return $table->isEmpty() ? [] : ['', ...$table->lines()];
    }

    /**
     * Shows lines that were not recognized, or were cut.
     *
     * @return list<string>
     */
    public static function unread(UnparsedLines $unread, LogReadResult $result, string $expected): array
    {
        $lines = [];

        if ($unread->lines() > 0 && ! $result->hasBytes()) {
            $lines = [
                '',
                ...self::paragraph(
                    Format::count($unread->lines()).' '.($unread->lines() === 1 ? 'line is' : 'lines are')
                        ." not of {$expected}, such as:",
                ),
                ...array_map(static fn (string $line): string => "  {$line}", $unread->examples()),
            ];
        }

        return $result->overlong === 0
            ? $lines
            : [
                ...$lines,
                '',
                ...self::paragraph(
                    Format::count($result->overlong).' '.($result->overlong === 1 ? 'line was' : 'lines were')
                        .' too long; only the beginning was read.',
                ),
            ];
    }

    /** @return list<string> */
    public static function notes(LogReadResult $result): array
    {
        return array_merge(...array_map(
            static fn (string $note): array => ['', ...self::paragraph(TerminalText::line($note))],
            $result->notes(),
        ));
    }

    public static function summed(int $count, string $one): string
    {
        return Format::count($count)." {$one}".($count === 1 ? '' : 's');
    }

    /** Cuts a long name at its beginning, since the end of a path says more. */
    private static function name(string $name): string
    {
        $name = TerminalText::line($name);

        if (mb_strlen($name) <= self::NAME) {
            return $name;
        }

        $start = (int) mb_strpos($name, ' ') + 1;
        $start = $start > self::NAME / 2 ? 0 : $start;

        return mb_substr($name, 0, $start).'…'.mb_substr($name, -(self::NAME - $start - 1));
    }
}
