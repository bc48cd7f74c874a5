<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Bench\Queues;

use PHPUnit\Framework\Assert;

/**
 * The blocks of a section of a report.
 */
final readonly class Drawn
{
    /** @return list<int> */
    public static function numbers(string $text): array
    {
        preg_match_all('/\d+/', $text, $found);

        return array_map(intval(...), $found[0]);
    }

    /**
     * @param array<string, mixed> $section
     * @return array<array-key, mixed>
     */
    public static function find(array $section, string $kind): array
    {
        foreach ((array) $section['blocks'] as $block) {
            if (is_array($block) && in_array($kind, self::kind($block), true)) {
                return $block;
            }
        }

        Assert::fail("There is no {$kind}.");
    }

    /**
     * @param array<string, mixed> $section
     * @return list<string>
     */
    public static function kinds(array $section): array
    {
        return array_map(
            static fn (mixed $block): string => is_array($block) ? self::kind($block)[0] : '',
            array_values((array) $section['blocks']),
        );
    }

    /**
     * @param array<array-key, mixed> $block
     * @return array{string}
     */
    private static function kind(array $block): array
    {
        return [is_string($block['kind'] ?? null) ? $block['kind'] : ''];
    }

    /**
     * @param array<array-key, mixed> $grid
     * @return list<list<string>> text, note in brackets, and a mark when it alerts
     */
    public static function cells(array $grid): array
    {
        $text = static fn (mixed $value): string => is_string($value) ? $value : '';
        $rows = [];

        foreach ((array) $grid['rows'] as $row) {
            $rows[] = array_map(
                static fn (mixed $cell): string => is_array($cell)
                    ? $text($cell['text']).($cell['note'] === '' ? '' : " ({$text($cell['note'])})")
                        .($cell['tone'] === 'alert' ? ' !' : '')
                    : $text($cell),
                array_values((array) $row),
            );
        }

        return $rows;
    }
}
