<?php

declare(strict_types=1);

namespace Headroom\Http;

use function array_slice;
use function count;
use function explode;
use function preg_match;
use function strlen;
use function strpbrk;
use function strpos;
use function strtolower;
use function substr;
use function trim;

/**
 * A header or trailer section: where it ends, and what is in it (RFC 9112, section 5).
 *
 * @internal
 */
final readonly class HeaderBlock
{
    public const TOKEN = '/\A[!#$%&\'*+.^_`|~0-9A-Za-z-]+\z/';

    /** Alone or with its partner, no line may have a CR or LF; HTAB is the one control that a value may have. */
    private const NOT_IN_A_SECTION = '/[\x00-\x08\x0B\x0C\x0E-\x1F\x7F]|\r(?!\n)|(?<!\r)\n/';

    private const NOT_IN_A_LINE = '/[\x00-\x08\x0A-\x1F\x7F]/';

    /** As clients write them: a look here is half of what checking a name and lowering its case costs. */
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

    /**
     * Where the line feed before the empty line stands, one before the section's begin when there is no field; null
     * when more is needed. It is the same however the bytes were cut when they came: a section that a reader might see
     * end elsewhere is refused by its first fault, in the order of lines.
     *
     * @param int<1, max> $from where the section begins, right after a line feed
     * @return int<0, max>|HttpError|null
     */
    public static function end(string $buffer, int $from, MessageLimits $limits): int|HttpError|null
    {
        $end = strpos($buffer, "\n\r\n", $from - 1);

        if ($end !== false && $end + 3 - $from <= $limits->headerBytes) {
            return $end;
        }

        // Who ends lines with a line feed alone would wait in vain for an answer.
        $bare = strpos($buffer, "\n\n", $from - 1);

        if ($bare !== false && $bare + 2 - $from <= $limits->headerBytes) {
            return self::fault(explode("\r\n", substr($buffer, $from, $bare + 2 - $from)), $limits);
        }

        return strlen($buffer) - $from > $limits->headerBytes ? HttpError::headersTooLarge($limits->headerBytes) : null;
    }

    /**
     * @param int<1, max> $from
     * @param int<0, max> $end as end() found it
     * @return array<string, string>|HttpError by name in lower case; a name that is a whole number is left out, as PHP
     *     would make another key of it
     */
    public static function parse(string $buffer, int $from, int $end, MessageLimits $limits): array|HttpError
    {
        if ($end < $from) {
            return [];
        }

        // The last line's own carriage return, without which its line feed stands alone.
        $section = substr($buffer, $from, $end - 1 - $from).($buffer[$end - 1] === "\r" ? '' : $buffer[$end - 1]."\n");
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

            // Of what trim() takes away there is nothing left here but spaces and tabs.
            $value = trim(substr($line, (int) $colon + 1));
            $headers[$name] = isset($headers[$name]) ? "{$headers[$name]}, {$value}" : $value;
        }

        unset($headers['']);

        return $headers;
    }

    /** In lower case; null when it is no token, empty when it can be no key of an array. */
    private static function name(string $sent): ?string
    {
        if (preg_match(self::TOKEN, $sent) !== 1) {
            return null;
        }

        return (string) (int) $sent === $sent ? '' : strtolower($sent);
    }

    /**
     * The first one in the order of lines. There is one.
     *
     * @param list<string> $lines
     */
    private static function fault(array $lines, MessageLimits $limits): HttpError
    {
        foreach (array_slice($lines, 0, $limits->headers) as $line) {
            $name = explode(':', $line, 2)[0];

            // First, as what stands after it may not have come yet.
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
