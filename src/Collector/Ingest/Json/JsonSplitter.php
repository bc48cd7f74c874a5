<?php

declare(strict_types=1);

namespace Headroom\Collector\Ingest\Json;

use Headroom\Collector\Ingest\EventError;
use Headroom\Collector\Ingest\IngestLimits;
use Headroom\Collector\Ingest\RequestError;

use function count;
use function function_exists;
use function implode;
use function ini_get;
use function ini_set;
use function is_string;
use function json_decode;
use function mb_check_encoding;
use function preg_last_error;
use function preg_match;
use function preg_match_all;
use function preg_replace;
use function preg_replace_callback;
use function sort;
use function str_contains;
use function str_replace;
use function str_starts_with;
use function strcspn;
use function strlen;
use function strspn;
use function strtr;
use function substr;
use function substr_count;
use function ucwords;

/**
 * Splits JSON into members or items without changing them: 1.0, {} and numbers beyond 64 bits stay as sent, which
 * json_decode() and json_encode() would change.
 *
 * The parts are balanced; nothing more is guaranteed, so the caller decodes each part. If all parts are JSON, the whole
 * is. Large texts are split one part at a time, so that a body of a million commas or brackets never
 * becomes a million values.
 *
 * @internal
 */
final readonly class JsonSplitter
{
    private const SPACE = " \t\r\n";

    /** Enough for the largest body that a configuration can allow. */
    private const STEPS = '1000000000';

    private const STRING = '"(?:[^"\\\\]++|\\\\.)*+"';

    private const VALUE = '(?:'.self::STRING.'|(?<box>[{\[](?:[^][{}"]++|'.self::STRING
        .'|(?&box))*+[}\]])|[^][{}",:\s]++)';

    private const ITEM = '/\G[ \t\r\n]*+('.self::VALUE.')[ \t\r\n]*+([,\]])/s';

    private const MEMBER = '/\G[ \t\r\n]*+('.self::STRING.')[ \t\r\n]*+:[ \t\r\n]*+('.self::VALUE
        .')[ \t\r\n]*+([,}])/s';

    /** A JSON string, as json_decode() accepts it if it is UTF-8. */
    private const NAME = '/"(?:[^"\\\\\x00-\x1f]++|\\\\(?:["\\\\\/bfnrt]|u(?:(?![dD][89a-fA-F])[0-9a-fA-F]{4}'
        .'|[dD][89abAB][0-9a-fA-F]{2}\\\\u[dD][c-fC-F][0-9a-fA-F]{2})))*+"(*SKIP)(?=[ \t\r\n]*+:)/';

    /**
     * @param string $object valid JSON
     * @param ?int $known number of members that json_decode() found; more members mean that a name is repeated;
     *     null: unknown
     * @return array<array-key, string> texts by name
     *
     * @throws EventError
     */
    public static function members(string $object, ?int $known): array
    {
        $start = strcspn($object, '{') + 1;
        $count = preg_match_all(self::MEMBER, $object, $found, PREG_PATTERN_ORDER, $start);

        // False if PCRE has too little memory.
        if ($count === false || ($known !== null && $count !== $known)) {
            return self::membersByScanner($object, $known);
        }

        if ($count > IngestLimits::MEMBERS) {
            throw EventError::tooManyMembers(IngestLimits::MEMBERS);
        }

        $members = [];

        foreach ($found[1] as $number => $name) {
            $members[self::name($name)] = $found[2][$number];
        }

        return count($members) === $count ? $members : throw EventError::duplicateMember();
    }

    /**
     * Returns the text with all member names empty. It is JSON if the text is, and json_decode() has no names to hash.
     *
     * @throws EventError
     */
    public static function nameless(string $json): string
    {
        // The caller cannot check the names any more.
        if (! mb_check_encoding($json, 'UTF-8')) {
            throw EventError::notUtf8();
        }

        return preg_replace(self::NAME, '""', $json) ?? $json;
    }

    /**
     * @param list<string> $names in snake_case, to convert to camelCase where they are names of members
     * @return string the same text if it has none of them
     */
    public static function camelCase(string $json, array $names): string
    {
        if (preg_match('/"(?:'.implode('|', $names).')"[ \t\r\n]*+:/', $json) !== 1) {
            return $json;
        }

        // Skips other strings.
        $pattern = '/"(?:'.implode('|', $names).')"(?=[ \t\r\n]*+:)|'.self::STRING.'(*SKIP)(*FAIL)/s';

        return preg_replace_callback($pattern, self::camel(...), $json) ?? $json;
    }

    /** @param array<array-key, string> $name the match */
    private static function camel(array $name): string
    {
        return str_replace('_', '', ucwords($name[0], '_'));
    }

    /**
     * Whether the objects in a valid JSON text have more than $most different names.
     */
    public static function hasMoreNames(string $json, int $most): bool
    {
        if (substr_count($json, ':') <= $most) {
            return false;
        }

        preg_match_all(self::NAME, $json, $found);
        $names = $found[0];
        // Sorting avoids a hash table, in which the names could collide.
        sort($names, SORT_STRING);
        $count = 0;

        foreach ($names as $at => $name) {
            $count += $at > 0 && $names[$at - 1] === $name ? 0 : 1;
        }

        return $count > $most;
    }

    /**
     * @param string $object not validated
     * @return iterable<string, string> texts by name, one at a time; names may repeat
     *
     * @throws RequestError if it is not an object
     */
    public static function eachMember(string $object): iterable
    {
        foreach (self::parts($object, '{', '}') as $name => $value) {
            $decoded = json_decode($name);

            yield is_string($decoded)
                ? $decoded
                : throw RequestError::notJson('The body is not JSON: the name of a member is invalid.') => $value;
        }
    }

    /**
     * @param string $array not validated
     * @return iterable<int, string> texts, one at a time
     *
     * @throws RequestError if it is not an array
     */
    public static function eachItem(string $array): iterable
    {
        $number = 0;

        foreach (self::parts($array, '[', ']') as $value) {
            yield $number++ => $value;
        }
    }

    /** Replaces line feeds by spaces, which is safe because JSON strings cannot have a raw line feed. */
    public static function singleLine(string $json): string
    {
        return strcspn($json, "\r\n") === strlen($json) ? $json : strtr($json, "\r\n", '  ');
    }

    /** Some editors and libraries on Windows write a byte order mark. */
    public static function withoutByteOrderMark(string $text): string
    {
        return str_starts_with($text, "\u{FEFF}") ? substr($text, 3) : $text;
    }

    /** The first character that is not white space. */
    public static function firstCharacter(string $text): string
    {
        return $text[strspn($text, self::SPACE)] ?? '';
    }

    /**
     * @return iterable<string, string>
     *
     * @throws RequestError
     */
    private static function parts(string $text, string $open, string $close): iterable
    {
        $at = strspn($text, self::SPACE);
        $end = strlen($text);

        if (($text[$at] ?? '') !== $open) {
            throw RequestError::notJson("The body is not JSON: '{$open}' was expected.");
        }

        $at += 1 + strspn($text, self::SPACE, $at + 1);
        $isLast = ($text[$at] ?? '') === $close;
        $at += $isLast ? 1 : 0;

        while (! $isLast) {
            [$name, $value, $stop, $at] = self::part($text, $at, $close);
            $isLast = $stop === $close;

            yield $name => $value;
        }

        if ($at + strspn($text, self::SPACE, $at) !== $end) {
            throw RequestError::notJson("The body is not JSON: it has data after its end, at byte {$at}.");
        }
    }

    /**
     * @return array{string, string, string, int} name, value, delimiter after it, and the offset after that
     *
     * @throws RequestError
     */
    private static function part(string $text, int $at, string $close): array
    {
        $found = self::matched($close === '}' ? self::MEMBER : self::ITEM, $text, $part, $at);

        if ($found === 1) {
            // The named group of a nested value lies between the value and the delimiter.
            return $close === '}'
                ? [$part[1], $part[2], $part[4], $at + strlen($part[0])]
                : ['', $part[1], $part[3], $at + strlen($part[0])];
        }

        $by = $found === false ? JsonScanner::part($text, $at, $close === '}') : null;

        return $by !== null && ($by[2] === ',' || $by[2] === $close)
            ? $by
            : throw RequestError::notJson("The body is not JSON at byte {$at}.");
    }

    /**
     * The JIT compiler counts its steps as backtracking, which these patterns do not have. JsonScanner takes ten times
     * as long, so the limit is raised first.
     *
     * @param array<array-key, string> $part
     * @param-out array<array-key, string> $part
     *
     * @throws RequestError
     */
    private static function matched(string $pattern, string $text, ?array &$part, int $at): int|false
    {
        $found = preg_match($pattern, $text, $part, 0, $at);

        if (
            $found === false
            && preg_last_error() === PREG_BACKTRACK_LIMIT_ERROR
            && ini_get('pcre.jit') === '1'
            && function_exists('ini_set')
        ) {
            $before = ini_set('pcre.backtrack_limit', self::STEPS);
            $found = preg_match($pattern, $text, $part, 0, $at);
            ini_set('pcre.backtrack_limit', (string) $before);
        }

        // The JIT stack is large enough for thousands of levels.
        return $found === false
                && preg_last_error() === PREG_JIT_STACKLIMIT_ERROR
                && substr_count($text, '[') + substr_count($text, '{') > JsonScanner::MAX_LEVELS
            ? throw RequestError::tooDeep()
            : $found;
    }

    /**
     * @return array<array-key, string>
     *
     * @throws EventError
     */
    private static function membersByScanner(string $object, ?int $known): array
    {
        $members = [];
        $count = 0;

        try {
            foreach (self::parts($object, '{', '}') as $name => $value) {
                if (++$count > IngestLimits::MEMBERS) {
                    throw EventError::tooManyMembers(IngestLimits::MEMBERS);
                }

                $members[self::name($name)] = $value;
            }
        } catch (RequestError $e) {
            throw EventError::notJson($e->getMessage());
        }

        return $count === ($known ?? count($members)) ? $members : throw EventError::duplicateMember();
    }

    private static function name(string $quoted): string
    {
        $decoded = str_contains($quoted, '\\') ? json_decode($quoted) : null;

        return is_string($decoded) ? $decoded : substr($quoted, 1, -1);
    }
}
