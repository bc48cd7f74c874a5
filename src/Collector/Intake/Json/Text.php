<?php

declare(strict_types=1);

namespace Headroom\Collector\Intake\Json;

use Headroom\Collector\Intake\Refused;
use Headroom\Collector\Intake\Rejected;

use function is_string;
use function json_decode;
use function preg_match;
use function preg_match_all;
use function str_contains;
use function strcspn;
use function strlen;
use function strspn;
use function strtr;
use function substr;

/**
 * JSON cut into its members or items without being changed: 1.0, {} and numbers beyond 64 bits stay what was written,
 * which they would not through json_decode() and json_encode().
 *
 * What is cut is balanced, and nothing more is promised of each part: whoever takes one reads it with json_decode(). When
 * all parts are JSON then the whole is. Large texts are cut one part at a time, so that a body of a million commas or
 * brackets never becomes a million values.
 *
 * @internal
 */
final readonly class Text
{
    private const SPACE = " \t\r\n";

    private const STRING = '"(?:[^"\\\\]++|\\\\.)*+"';

    private const VALUE = '(?:'.self::STRING.'|(?<box>[{\[](?:[^][{}"]++|'.self::STRING.'|(?&box))*+[}\]])|[^][{}",:\s]++)';

    private const ITEM = '/\G[ \t\r\n]*+('.self::VALUE.')[ \t\r\n]*+([,\]])/s';

    private const MEMBER = '/\G[ \t\r\n]*+('.self::STRING.')[ \t\r\n]*+:[ \t\r\n]*+('.self::VALUE.')[ \t\r\n]*+([,}])/s';

    /**
     * @param string $object one that json_decode() has read
     * @param int $known how many members it found: there are more when a name is there twice
     * @return array<array-key, string> texts by name
     *
     * @throws Rejected
     */
    public static function members(string $object, int $known): array
    {
        $start = strcspn($object, '{') + 1;

        // False where PCRE was built or set so that it has too little room.
        if (preg_match_all(self::MEMBER, $object, $found, PREG_PATTERN_ORDER, $start) !== $known) {
            return self::membersByHand($object, $known);
        }

        $members = [];

        foreach ($found[1] as $number => $name) {
            $members[self::name($name)] = $found[2][$number];
        }

        return $members;
    }

    /**
     * @param string $object perhaps one
     * @return iterable<string, string> texts by name, one at a time; a name may come twice
     *
     * @throws Refused it is none
     */
    public static function eachMember(string $object): iterable
    {
        foreach (self::parts($object, '{', '}') as $name => $value) {
            $decoded = json_decode($name);

            yield is_string($decoded) ? $decoded : throw Refused::notJson('The body is not JSON: the name of a member is broken.') => $value;
        }
    }

    /**
     * @param string $array perhaps one
     * @return iterable<int, string> texts, one at a time
     *
     * @throws Refused it is none
     */
    public static function eachItem(string $array): iterable
    {
        $number = 0;

        foreach (self::parts($array, '[', ']') as $value) {
            yield $number++ => $value;
        }
    }

    /** On one line: outside of strings, where JSON allows none, a line feed is the same as a space. */
    public static function line(string $json): string
    {
        return strcspn($json, "\r\n") === strlen($json) ? $json : strtr($json, "\r\n", '  ');
    }

    /** The first character that counts. */
    public static function first(string $text): string
    {
        return $text[strspn($text, self::SPACE)] ?? '';
    }

    /**
     * @return iterable<string, string>
     *
     * @throws Refused
     */
    private static function parts(string $text, string $open, string $close): iterable
    {
        $at = strspn($text, self::SPACE);
        $end = strlen($text);

        if (($text[$at] ?? '') !== $open) {
            throw Refused::notJson("The body is not JSON: '{$open}' was expected.");
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
            throw Refused::notJson("The body is not JSON: there is something behind its end, at byte {$at}.");
        }
    }

    /**
     * @return array{string, string, string, int} name, value, what follows it, and where that ends
     *
     * @throws Refused
     */
    private static function part(string $text, int $at, string $close): array
    {
        $found = preg_match($close === '}' ? self::MEMBER : self::ITEM, $text, $part, 0, $at);

        if ($found === 1) {
            // The name of the group, and its number, lie between a value and what stops it.
            return $close === '}' ? [$part[1], $part[2], $part[4], $at + strlen($part[0])] : ['', $part[1], $part[3], $at + strlen($part[0])];
        }

        $by = $found === false ? Cut::part($text, $at, $close === '}') : null;

        return $by !== null && ($by[2] === ',' || $by[2] === $close) ? $by : throw Refused::notJson("The body is not JSON at byte {$at}.");
    }

    /**
     * @return array<array-key, string>
     *
     * @throws Rejected
     */
    private static function membersByHand(string $object, int $known): array
    {
        $members = [];
        $count = 0;

        try {
            foreach (self::parts($object, '{', '}') as $name => $value) {
                $members[self::name($name)] = $value;
                $count++;
            }
        } catch (Refused $e) {
            throw Rejected::notJson($e->getMessage());
        }

        return $count === $known ? $members : throw Rejected::duplicateMember();
    }

    private static function name(string $quoted): string
    {
        $decoded = str_contains($quoted, '\\') ? json_decode($quoted) : null;

        return is_string($decoded) ? $decoded : substr($quoted, 1, -1);
    }
}
