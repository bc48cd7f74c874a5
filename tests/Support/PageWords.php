<?php

declare(strict_types=1);

namespace Headroom\Tests\Support;

use Headroom\Report\Page\Page;
use RuntimeException;

/**
 * What stands on a page, line by line: a row of a table is `|cell|cell (its note)|`, a cell that alerts ends with `!`, one that leads
 * somewhere with `<where>`.
 */
final readonly class PageWords
{
    public static function of(Page $page): string
    {
        return implode("\n", array_map(self::block(...), $page->toArray()['sections']));
    }

    public static function section(Page $page, string $id): string
    {
        foreach ($page->toArray()['sections'] as $section) {
            if ($section['id'] === $id) {
                return self::block($section);
            }
        }

        throw new RuntimeException("There is no section {$id}.");
    }

    /** @param array<mixed> $block */
    private static function block(array $block): string
    {
        $lines = [];

        foreach (['title', 'summary', 'text', 'label', 'caption'] as $key) {
            $lines = [...$lines, ...(is_string($block[$key] ?? null) ? [$block[$key]] : [])];
        }

        foreach (self::tables($block['items'] ?? []) + self::tables($block['facts'] ?? []) as $item) {
            $lines[] = is_array($item) ? implode(': ', array_filter($item, is_string(...))) : (is_string($item) ? $item : '');
        }

        foreach (self::tables($block['rows'] ?? []) as $row) {
            $lines[] = '|'.implode('|', array_map(self::cell(...), self::tables($row))).'|';
        }

        foreach (self::tables($block['blocks'] ?? []) as $inner) {
            $lines[] = is_array($inner) ? self::block($inner) : '';
        }

        return implode("\n", $lines);
    }

    private static function cell(mixed $cell): string
    {
        if (! is_array($cell)) {
            return is_string($cell) ? $cell : '';
        }

        $texts = array_filter($cell, is_string(...));

        return $texts['text'].($texts['note'] === '' ? '' : " ({$texts['note']})").($texts['link'] === '' ? '' : " <{$texts['link']}>").($texts['tone'] === 'alert' ? '!' : '');
    }

    /** @return array<mixed> */
    private static function tables(mixed $value): array
    {
        return is_array($value) ? $value : [];
    }
}
