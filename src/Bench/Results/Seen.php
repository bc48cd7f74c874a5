<?php

declare(strict_types=1);

namespace Headroom\Bench\Results;

use Headroom\Support\TerminalText;

/**
 * A value of a file for whoever has to find it there.
 *
 * @internal
 */
final readonly class Seen
{
    private const LENGTH = 40;

    public static function words(mixed $value): string
    {
        return match (true) {
            is_string($value) => "the text '".TerminalText::name($value, self::LENGTH)."'",
            is_array($value) => array_is_list($value) ? 'a list of '.count($value) : 'a table',
            // 1e999 is infinite to PHP.
            is_float($value) && ! is_finite($value) => 'a number beyond 1.8e308',
            is_scalar($value), $value === null => (string) json_encode($value),
            default => get_debug_type($value),
        };
    }
}
