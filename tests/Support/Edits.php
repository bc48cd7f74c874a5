<?php

declare(strict_types=1);

namespace Headroom\Tests\Support;

use Generator;

/**
 * A document as somebody left it who edited it: at each place another value, or none.
 */
final readonly class Edits
{
    /** No PHP value is this number: written as a text, which is taken off again. */
    private const INFINITE = '1e999 without quotes';

    private const VALUES = ['null' => null, '-1' => -1, '0' => 0, '1e999' => self::INFINITE, 'markup' => '</script><script>alert(1)</script>', 'a list in a list' => [[1, 'x']]];

    /** Two of them at each place, in turn. */
    private const MORE = [
        'true' => true,
        'half' => 0.5,
        'an integer of 64 bits' => PHP_INT_MAX,
        '1e308' => 1e308,
        '1e-308' => 1e-308,
        'no text' => '',
        'a number as text' => '12',
        'an escape sequence' => "\e[2J\n",
        'an empty list' => [],
        'a list of text' => ['x', 'y'],
        'a table of text with a number for its key' => ['7' => 'x'],
        'a table of tables with a number for its key' => ['7' => []],
        'a table' => ['x' => ['y' => 1]],
    ];

    /**
     * @param array<array-key, mixed> $document
     * @return Generator<string, string> JSON by what was done. Of tables that are called alike and have the same keys, the first.
     */
    public static function of(array $document): Generator
    {
        $seen = [];

        foreach (self::places($document, '', $seen) as $number => $place) {
            $at = implode('.', $place);
            $more = array_slice([...self::MORE, ...self::MORE], 2 * $number % count(self::MORE), 2);
            yield "{$at} left out" => self::json(self::edit($document, $place, static fn (array $in, int|string $key): array => self::without($in, $key)));

            foreach ([...self::VALUES, ...$more] as $name => $value) {
                yield "{$at} = {$name}" => self::json(self::edit($document, $place, static fn (array $in, int|string $key): array => array_replace($in, [$key => $value])));
            }

            if (is_int($place[count($place) - 1])) {
                yield "{$at} twice" => self::json(self::edit($document, $place, static fn (array $in, int|string $key): array => [...$in, $in[$key]]));
            }
        }
    }

    /** @param array<array-key, mixed> $document */
    public static function json(array $document): string
    {
        return str_replace('"'.self::INFINITE.'"', '1e999', json_encode($document, JSON_THROW_ON_ERROR | JSON_PRESERVE_ZERO_FRACTION));
    }

    /**
     * @param array<array-key, mixed> $in
     * @return array<array-key, mixed> a list is still one
     */
    private static function without(array $in, int|string $key): array
    {
        $rest = array_diff_key($in, [$key => true]);

        return array_is_list($in) ? array_values($rest) : $rest;
    }

    /**
     * @param array<array-key, mixed> $in
     * @param string $name that it is called by
     * @param array<string, true> $seen
     * @return list<non-empty-list<int|string>>
     */
    private static function places(array $in, string $name, array &$seen): array
    {
        $kind = $name.' '.(array_is_list($in) ? 'list' : implode(' ', array_keys($in)));
        $places = [];

        foreach (isset($seen[$kind]) ? [] : (array_is_list($in) ? array_slice($in, 0, 2) : $in) as $key => $value) {
            $within = is_array($value) ? self::places($value, is_int($key) ? $name : $key, $seen) : [];
            $places = [...$places, [$key], ...array_map(static fn (array $place): array => [$key, ...$place], $within)];
        }

        $seen[$kind] = true;

        return $places;
    }

    /**
     * @param array<array-key, mixed> $in
     * @param non-empty-list<int|string> $place
     * @param callable(array<array-key, mixed>, int|string): array<array-key, mixed> $what
     * @return array<array-key, mixed>
     */
    private static function edit(array $in, array $place, callable $what): array
    {
        $key = array_shift($place);
        $inner = $in[$key] ?? null;

        return $place === [] ? $what($in, $key) : array_replace($in, [$key => self::edit(is_array($inner) ? $inner : [], $place, $what)]);
    }
}
