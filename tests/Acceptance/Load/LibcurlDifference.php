<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Load;

/**
 * The reasons why libcurl may read a response that violates RFC 9112 differently from this package.
 */
enum LibcurlDifference: string
{
    case CarriageReturn = 'libcurl ends a head or a chunk at a bare CR, or fails; we read it as a byte';
    case CutHead = 'libcurl ends a head at the end of the connection, and we report a response that is cut off';
    case NullByte = 'libcurl refuses a head with a byte of 0, and we read on';
    case StatusLine = 'libcurl reads what only looks like a status line of HTTP/1';
    case NoField = 'libcurl refuses a head or trailers with a line that is not a field; we skip it as browsers do';
    case Upgraded = 'libcurl takes what comes behind 101 for its body';
    case Space = 'libcurl does not know a name with a space before the colon';
    case Length = 'libcurl takes the last of several lengths, and of each its digits in front';
    case Coding = 'libcurl refuses or undoes codings that it knows, and we count what is sent';
    case ChunkSize = 'libcurl passes over what follows the digits of a size';

    /** Those of interim answers, and the last. */
    private const HEADS = '/\A(?:HTTP\/1\.\d 1(?!01)\d\d[ \r\n].*?\n\r?\n)*+.*?(?:\n\r?\n|\z)/s';

    private const STATUS_LINE = '/\AHTTP\/1\.[01] [1-9]\d\d(?: [^\n]*)?\r?\z/';

    private const NO_TRAILER = '/\n0+(?:;[^\n]*)?\r?\n(?:[^:\n]+:[^\n]*\n)*[^:\r\n]+\r?\n/';

    public static function of(RandomAnswer $answer): ?self
    {
        preg_match(self::HEADS, $answer->bytes, $found);
        $heads = $found[0] ?? '';
        $behind = substr($answer->bytes, max(0, strlen($heads) - 1));
        $lengths = self::values('content-length', $heads);
        $codings = self::values('transfer-encoding', $heads);

        return match (true) {
            preg_match('/\r(?!\n)/', $codings === [] ? $heads : $answer->bytes) === 1 => self::CarriageReturn,
            preg_match('/\n\r?\n\z/', $heads) !== 1 => self::CutHead,
            str_contains($heads, "\0") => self::NullByte,
            self::hasLine($heads, isFirst: true, pattern: self::STATUS_LINE) => self::StatusLine,
            self::hasLine($heads, isFirst: false, pattern: '/\A[^:]+:/'),
            $codings !== [] && preg_match(self::NO_TRAILER, $behind) === 1 => self::NoField,
            preg_match('/^HTTP\/1\.\d 101/m', $heads) === 1 => self::Upgraded,
            preg_match('/\n[^:\n]+[ \t]:/', $heads) === 1 => self::Space,
            count($lengths) > 1 || preg_grep('/\A\d+\z/', $lengths, PREG_GREP_INVERT) !== [] => self::Length,
            $codings !== [] && $codings !== ['chunked'] => self::Coding,
            $codings !== [] && preg_match('/\n[0-9a-f]+[^0-9a-f\r\n;][^\n]*\n/i', $behind) === 1 => self::ChunkSize,
            default => null,
        };
    }

    /** @return list<string> of all fields of this name */
    private static function values(string $name, string $heads): array
    {
        preg_match_all("/^{$name}[ \\t]*:([^\\n]*)/mi", $heads, $found);

        return array_map(static fn (string $value): string => strtolower(trim($value)), $found[1]);
    }

    /** Whether there is a line, the first of a head or another one, that is not so. */
    private static function hasLine(string $heads, bool $isFirst, string $pattern): bool
    {
        $split = preg_split('/\n\r?\n/', $heads, flags: PREG_SPLIT_NO_EMPTY);

        foreach ($split === false ? [] : $split as $head) {
            $lines = explode("\n", $head);
            $first = array_splice($lines, 0, 1);

            if (preg_grep($pattern, $isFirst ? $first : $lines, PREG_GREP_INVERT) !== []) {
                return true;
            }
        }

        return false;
    }
}
