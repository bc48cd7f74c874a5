<?php

declare(strict_types=1);

namespace Headroom\Http;

use function array_slice;
use function count;
use function explode;
use function preg_match;
use function preg_match_all;
use function preg_replace;
use function str_contains;
use function strlen;
use function strpbrk;
use function strpos;
use function strtolower;
use function substr;
use function trim;

/**
 * A header or trailer section: where it ends, and its fields (RFC 9112, section 5).
 *
 * @internal
 */
final readonly class HeaderBlock
{
    public const TOKEN = '/\A[!#$%&\'*+.^_`|~0-9A-Za-z-]+\z/';

    /** A line has no CR or LF, not even as a pair; HTAB is the one control character that a value may have. */
    private const NOT_IN_A_SECTION = '/[\x00-\x08\x0B\x0C\x0E-\x1F\x7F]|\r(?!\n)|(?<!\r)\n/';

    private const NOT_IN_A_LINE = '/[\x00-\x08\x0A-\x1F\x7F]/';

    /** Header names as clients write them. A lookup costs half as much as checking a name and lowering its case. */
    private const KNOWN = [
        'Accept' => 'accept', 'Accept-Encoding' => 'accept-encoding', 'Accept-Language' => 'accept-language',
        'Authorization' => 'authorization',
        'Connection' => 'connection', 'Content-Encoding' => 'content-encoding', 'Content-Length' => 'content-length',
        'Content-Type' => 'content-type',
        'Cookie' => 'cookie', 'Date' => 'date', 'Expect' => 'expect', 'Host' => 'host',
        'Idempotency-Key' => 'idempotency-key', 'Origin' => 'origin',
        'Prefer' => 'prefer', 'Referer' => 'referer', 'Server' => 'server', 'Transfer-Encoding' => 'transfer-encoding',
        'User-Agent' => 'user-agent',
        'X-Forwarded-For' => 'x-forwarded-for', 'X-Forwarded-Proto' => 'x-forwarded-proto', 'X-Real-IP' => 'x-real-ip',
        'X-Write-Key' => 'x-write-key',
        'accept' => 'accept', 'accept-encoding' => 'accept-encoding', 'accept-language' => 'accept-language',
        'authorization' => 'authorization',
        'connection' => 'connection', 'content-encoding' => 'content-encoding', 'content-length' => 'content-length',
        'content-type' => 'content-type',
        'host' => 'host', 'origin' => 'origin', 'transfer-encoding' => 'transfer-encoding',
        'user-agent' => 'user-agent',
    ];

    /** The fields that say where a message ends and whether the connection is kept; a value may be folded. */
    private const FRAMING =
        '/^(content-length|transfer-encoding|connection)[ \t]*+:([^\n]*+(?:\n[ \t][^\n]*+)*+)/mi';

    /**
     * Finds the line feed before the empty line. In a section without fields, this is the line feed before the section.
     * The result does not depend on how the bytes were cut: a section that another reader might end elsewhere is
     * refused by its first fault, in the order of lines.
     *
     * @param int<1, max> $from where the section begins, right after a line feed
     * @return int<0, max>|HttpError|null null when more is needed
     */
    public static function end(string $buffer, int $from, MessageLimits $limits): int|HttpError|null
    {
        $end = strpos($buffer, "\n\r\n", $from - 1);

        if ($end !== false && $end + 3 - $from <= $limits->headerBytes) {
            return $end;
        }

        // A client that ends lines with a line feed alone would wait in vain for a response.
        $bare = strpos($buffer, "\n\n", $from - 1);

        if ($bare !== false && $bare + 2 - $from <= $limits->headerBytes) {
            return self::fault(explode("\r\n", substr($buffer, $from, $bare + 2 - $from)), $limits);
        }

        return strlen($buffer) - $from > $limits->headerBytes ? HttpError::headersTooLarge($limits->headerBytes) : null;
    }

    /**
     * @param int<1, max> $from
     * @param int<0, max> $end as end() found it
     * @return array<string, string>|HttpError by name in lower case; a name that is a whole number is left out,
     *     because PHP would make an integer key of it
     */
    public static function parse(string $buffer, int $from, int $end, MessageLimits $limits): array|HttpError
    {
        if ($end < $from) {
            return [];
        }

        // Without the last line's carriage return, its line feed would stand alone.
        $section = substr($buffer, $from, $end - 1 - $from);

        if ($buffer[$end - 1] !== "\r") {
            $section .= $buffer[$end - 1]."\n";
        }

        $lines = explode("\r\n", $section);

        if (preg_match(self::NOT_IN_A_SECTION, $section) !== 0 || count($lines) > $limits->headers) {
            return self::fault($lines, $limits);
        }

        $headers = [];

        foreach ($lines as $line) {
            $colon = strpos($line, ':');
            $sent = substr($line, 0, (int) $colon);
            $name = self::KNOWN[$sent] ?? self::name($sent);

            if ($name === null) {
                return self::fault($lines, $limits);
            }

            // trim() finds only spaces and tabs here.
            $value = trim(substr($line, (int) $colon + 1));
            $headers[$name] = isset($headers[$name]) ? "{$headers[$name]}, {$value}" : $value;
        }

        unset($headers['']);

        return $headers;
    }

    /**
     * Reads only the fields that frame a message, from a head that is not checked.
     *
     * @param string $head status line and header section
     * @return array<string, string> as parse() returns them
     */
    public static function framing(string $head): array
    {
        preg_match_all(self::FRAMING, $head, $found, PREG_SET_ORDER);
        $headers = [];

        foreach ($found as [, $sent, $value]) {
            $name = self::KNOWN[$sent] ?? strtolower($sent);
            $value = trim($value);
            $value = str_contains($value, "\n") ? (string) preg_replace('/\r*\n[ \t]+/', ' ', $value) : $value;
            $headers[$name] = isset($headers[$name]) ? "{$headers[$name]}, {$value}" : $value;
        }

        return $headers;
    }

    /** @return ?string in lower case; null for no token, empty for a name that cannot be an array's string key */
    private static function name(string $sent): ?string
    {
        if (preg_match(self::TOKEN, $sent) !== 1) {
            return null;
        }

        return (string) (int) $sent === $sent ? '' : strtolower($sent);
    }

    /**
     * The first fault in the order of lines; there is one.
     *
     * @param list<string> $lines
     */
    private static function fault(array $lines, MessageLimits $limits): HttpError
    {
        foreach (array_slice($lines, 0, $limits->headers) as $line) {
            $name = explode(':', $line, 2)[0];

            // Checked first, because the bytes after it may not have come yet.
            if (strpbrk($line, "\r\n") !== false) {
                return HttpError::lineEnding();
            }

            if ($line !== '' && ($line[0] === ' ' || $line[0] === "\t")) {
                return HttpError::foldedHeader();
            }

            if ($name === $line || preg_match(self::TOKEN, $name) !== 1) {
                return HttpError::headerName($line);
            }

            if (preg_match(self::NOT_IN_A_LINE, $line) !== 0) {
                return HttpError::headerValue($name);
            }
        }

        return HttpError::tooManyHeaders($limits->headers);
    }
}
