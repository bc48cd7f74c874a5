<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Preload\Report;

use Headroom\Benchmarks\Html;

/**
 * Tables of figures.
 */
final readonly class Grid
{
    /**
     * @param non-empty-list<string> $headings the first is that of the rows
     * @param list<non-empty-list<Html|string>> $rows
     */
    public static function of(array $headings, array $rows): Html
    {
        return self::table('figures', $headings, $rows);
    }

    /**
     * One with columns for more than a phone: there its rows become cards, in which each cell carries the heading of its column.
     *
     * @param non-empty-list<string> $headings
     * @param list<non-empty-list<Html|string>> $rows
     */
    public static function cards(array $headings, array $rows): Html
    {
        return self::table('figures cards', $headings, $rows);
    }

    /** A figure, and how far it spreads. */
    public static function figure(string $words, string $spread): Html
    {
        return Html::together($words, ...($spread === '' ? [] : [' ', Html::element('small', [], $spread)]));
    }

    /**
     * @param non-empty-list<string> $headings
     * @param list<non-empty-list<Html|string>> $rows
     */
    private static function table(string $class, array $headings, array $rows): Html
    {
        return Html::element('table', ['class' => $class],
            Html::element('thead', [], Html::element('tr', [], ...array_map(static fn (string $heading): Html => Html::element('th', ['scope' => 'col'], $heading), $headings))),
            Html::element('tbody', [], ...array_map(static fn (array $row): Html => Html::element('tr', [],
                Html::element('th', ['scope' => 'row'], $row[0]),
                ...array_map(static fn (Html|string $cell, string $heading): Html => Html::element('td', ['data-of' => $heading], Html::element('span', [], $cell)), array_slice($row, 1), array_slice($headings, 1)),
            ), $rows)),
        );
    }
}
