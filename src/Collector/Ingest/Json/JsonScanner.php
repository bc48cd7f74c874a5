<?php

declare(strict_types=1);

namespace Headroom\Collector\Ingest\Json;

use Headroom\Collector\Ingest\RequestError;

use function strcspn;
use function strlen;
use function strspn;
use function substr;

/**
 * Splits JSON like the regular expressions of JsonSplitter, without PCRE: for a PCRE without JIT compiler or with too
 * little memory for the text.
 *
 * @internal
 */
final readonly class JsonScanner
{
    /** Twice the highest limit of an event. Deeper text is rejected before its end, because scanning it is slow. */
    public const MAX_LEVELS = 1_024;

    private const SPACE = " \t\r\n";

    /**
     * @return ?array{string, string, string, int} name, value, delimiter after it, and the offset after that;
     *     null if it is not balanced
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
            '{', '[' => self::endOfContainer($text, $at),
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
    private static function endOfContainer(string $text, int $at): ?int
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

            if ($depth > self::MAX_LEVELS) {
                throw RequestError::tooDeep();
            }
        }

        return null;
    }
}
