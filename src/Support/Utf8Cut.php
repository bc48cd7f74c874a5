<?php

declare(strict_types=1);

namespace Headroom\Support;

/**
 * Cuts UTF-8 as mb_strcut() and mb_strimwidth() do. Symfony's polyfill of mbstring lacks both functions.
 *
 * @internal
 */
final readonly class Utf8Cut
{
    private const UNFINISHED = '/(?:[\xC2-\xDF]|[\xE0-\xEF][\x80-\xBF]?|[\xF0-\xF4][\x80-\xBF]{0,2})\z/';

    /** At most the given number of bytes, without partial characters. */
    public static function cut(string $text, int $bytes): string
    {
        if (strlen($text) <= $bytes) {
            return $text;
        }

        $cut = substr($text, 0, max(0, $bytes));

        return preg_match(self::UNFINISHED, substr($cut, -3), $part) === 1 ? substr($cut, 0, -strlen($part[0])) : $cut;
    }

    /** At most the given number of terminal columns; a text that was cut ends with "…". */
    public static function fit(string $text, int $columns): string
    {
        if (mb_strwidth($text, 'UTF-8') <= $columns) {
            return $text;
        }

        $fitting = '';
        $room = $columns - 1;

        foreach (mb_str_split($text, 1, 'UTF-8') as $character) {
            $room -= mb_strwidth($character, 'UTF-8');

            if ($room < 0) {
                break;
            }

            $fitting .= $character;
        }

        return "{$fitting}…";
    }
}
