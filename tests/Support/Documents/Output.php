<?php

declare(strict_types=1);

namespace Headroom\Tests\Support\Documents;

use Headroom\Tests\Support\Snapshot;

/**
 * What a page says that a command prints, against what it printed: the words in their order. Numbers, times, ids and
 * paths differ, and "..." stands for anything.
 */
final readonly class Output
{
    private const LEFT_OUT = '(?:…|\.\.\.)';

    public static function fault(string $shown, string $printed): string
    {
        $lines = array_filter(
            explode("\n", self::words($shown)),
            static fn (string $line): bool => trim($line) !== '',
        );
        $pattern = implode('\n', array_map(self::pattern(...), $lines));
        $actual = implode("\n", array_filter(explode("\n", self::words($printed)), static fn (string $line): bool
            => trim($line) !== ''));

        return preg_match("~^{$pattern}$~mu", $actual) === 1
            ? ''
            : "The page shows:\n".implode("\n", $lines)."\nIt printed:\n{$actual}";
    }

    private static function pattern(string $line): string
    {
        if (preg_match('/\A\s*'.self::LEFT_OUT.'\s*\z/u', $line) === 1) {
            return '(?:.*\n)*?.*';
        }

        $parts = (array) preg_split('/'.self::LEFT_OUT.'/u', trim($line));

        return '\s*'
            .implode('.*', array_map(static fn (mixed $part): string => preg_quote((string) $part, '~'), $parts))
            .'\s*';
    }

    private static function words(string $text): string
    {
        $paths = preg_replace(
            '~(?<![\w.])/(?:app|var/www|srv|path/to/app|tmp)[\w./-]*~',
            '<path>',
            Snapshot::words($text),
        );

        return str_replace(
            '<temporary>',
            '<path>',
            (string) preg_replace('~<temporary>[\w./-]*~', '<path>', (string) $paths),
        );
    }
}
