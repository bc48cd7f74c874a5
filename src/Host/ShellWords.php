<?php

declare(strict_types=1);

namespace Headroom\Host;

/**
 * A command quoted for a shell.
 *
 * @internal
 */
final readonly class ShellWords
{
    /** @param list<string> $words */
    public static function line(array $words): string
    {
        return implode(' ', array_map(self::quoted(...), $words));
    }

    private static function quoted(string $word): string
    {
        return preg_match('~\A[\w./@:=+-]+\z~', $word) === 1 ? $word : escapeshellarg($word);
    }
}
