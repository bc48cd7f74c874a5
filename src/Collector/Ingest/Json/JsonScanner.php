<?php

declare(strict_types=1);

namespace Headroom\Collector\Ingest\Json;

use Headroom\Collector\Ingest\RequestError;

use function strcspn;
use function strlen;
use function strspn;
use function substr;

/**
 * What Text has as a regular expression, by hand: where PCRE has no compiler or too little room for the text.
 *
 * @internal
 */
final readonly class JsonScanner
{
    /** Twice as many as an event may ever have; what goes deeper is not read to its end, a byte at a time. */
    public const MOST_LEVELS = 1_024;

    private const SPACE = " \t\r\n";

    /**
     * @return ?array{string, string, string, int} name, value, what follows it, and where that ends;
     *     null when it is not balanced
     *
     * @throws RequestError
     */
    public static function part(string $text, int $at, bool $hasName): ?array
    {
        $at += strspn($text, self::SPACE, $at);
        $name = '';

        if ($hasName) {
            $end = ($text[$at] ?? '') === '"' ? self::endOfString($text, $at) : null;

            if ($end === null) {
                return null;
            }

            $name = substr($text, $at, $end - $at);
            $at = $end + strspn($text, self::SPACE, $end);

            if (($text[$at] ?? '') !== ':') {
                return null;
            }

            $at += 1 + strspn($text, self::SPACE, $at + 1);
        }

        $end = self::endOfValue($text, $at);

        if ($end === null || $end === $at) {
            return null;
        }

        $stop = $end + strspn($text, self::SPACE, $end);

        return isset($text[$stop]) ? [$name, substr($text, $at, $end - $at), $text[$stop], $stop + 1] : null;
    }

    /** @throws RequestError */
    private static function endOfValue(string $text, int $at): ?int
    {
        return match ($text[$at] ?? '') {
            '"' => self::endOfString($text, $at),
            '{', '[' => self::endOfBox($text, $at),
            default => $at + strcspn($text, "][{}\",: \t\r\n\f\v", $at),
        };
    }

    private static function endOfString(string $text, int $at): ?int
    {
        $at++;

        while (($text[$at += strcspn($text, '"\\', $at)] ?? '') === '\\') {
            $at += 2;
        }

        return isset($text[$at]) ? $at + 1 : null;
    }

    /** @throws RequestError */
    private static function endOfBox(string $text, int $at): ?int
    {
        /** @var int $depth */
        $depth = 0;
        $length = strlen($text);

        while (($at += strcspn($text, '][{}"', $at)) < $length) {
            if ($text[$at] === '"') {
                $at = self::endOfString($text, $at);

                if ($at === null) {
                    return null;
                }

                continue;
            }

            $depth += $text[$at] === '{' || $text[$at] === '[' ? 1 : -1;
            $at++;

            if ($depth === 0) {
                return $at;
            }

            if ($depth > self::MOST_LEVELS) {
                throw RequestError::tooDeep();
            }
        }

        return null;
    }
}
