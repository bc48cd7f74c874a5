<?php

declare(strict_types=1);

namespace Headroom\Http;

use function array_diff;
use function array_map;
use function array_values;
use function ctype_digit;
use function end;
use function explode;
use function in_array;
use function ltrim;
use function preg_match;
use function str_contains;
use function strlen;
use function strtolower;

/**
 * The length of a message's body and the fate of its connection, by the header fields. A strict reader refuses every
 * ambiguity (RFC 9112, sections 3.2, 6 and 11.2).
 *
 * @internal
 */
final readonly class Framing
{
    public const CHUNKED = -1;

    public const UNTIL_CLOSE = -2;

    private const WITH_BODY = ['POST', 'PUT', 'PATCH'];

    /**
     * @param array<string, string> $headers as HeaderBlock returns them: the values of a repeated field are joined
     *     with ', '
     * @return int<-1, max>|HttpError bytes of the body, or CHUNKED
     */
    public static function ofRequest(RequestLine $line, array $headers, MessageLimits $limits): int|HttpError
    {
        $host = $headers['host'] ?? null;

        if ($host === null ? ! $line->isOld : ! RequestLine::isAuthority($host)) {
            return $host === null ? HttpError::noHost() : HttpError::host($host);
        }

        $length = $headers['content-length'] ?? null;
        $coding = $headers['transfer-encoding'] ?? null;

        $body = match (true) {
            $coding !== null => self::coding($coding, $length !== null, $line->isOld),
            $length !== null => self::length($length, $limits),
            $line->isOld && in_array($line->method, self::WITH_BODY, true) => HttpError::lengthRequired(),
            default => 0,
        };

        if (
            ! $body instanceof HttpError
            && isset($headers['expect'])
            && strtolower($headers['expect']) !== '100-continue'
        ) {
            return HttpError::expectation($headers['expect']);
        }

        return $body;
    }

    /**
     * @param array<string, string> $headers as HeaderBlock returns them
     * @return int<-2, max>|HttpError bytes of the body, CHUNKED or UNTIL_CLOSE
     */
    public static function ofResponse(
        array $headers,
        bool $isOld,
        MessageLimits $limits,
        Strictness $strictness,
    ): int|HttpError {
        $length = $headers['content-length'] ?? null;
        $coding = $headers['transfer-encoding'] ?? null;

        if ($strictness === Strictness::Strict) {
            return match (true) {
                $coding !== null => self::coding($coding, $length !== null, $isOld),
                $length !== null => self::length($length, $limits),
                default => self::UNTIL_CLOSE,
            };
        }

        $codings = $coding === null ? [] : self::codings($coding);

        return match (true) {
            $codings !== [] => end($codings) === 'chunked' ? self::CHUNKED : self::UNTIL_CLOSE,
            $length !== null => self::repeatedLength($length, $limits),
            default => self::UNTIL_CLOSE,
        };
    }

    /** @return int<0, max>|HttpError */
    private static function length(string $seen, MessageLimits $limits): int|HttpError
    {
        if (! ctype_digit($seen)) {
            return HttpError::contentLength($seen);
        }

        // Eighteen digits always fit an integer. A cast makes 0 of more than 308: a body that would be read as a
        // request.
        $length = strlen($seen) > 18 && strlen(ltrim($seen, '0')) > 18 ? PHP_INT_MAX : (int) $seen;

        return $length < 0 || $length > $limits->bodyBytes ? HttpError::bodyTooLarge($limits->bodyBytes) : $length;
    }

    /**
     * Some servers send the length twice, and some proxies join the two.
     *
     * @return int<0, max>|HttpError
     */
    private static function repeatedLength(string $seen, MessageLimits $limits): int|HttpError
    {
        $values = str_contains($seen, ',') ? array_map(trim(...), explode(',', $seen)) : [$seen];

        foreach ($values as $value) {
            if (preg_match('/\A0*\d{1,18}\z/', $value) !== 1 || (int) $value !== (int) $values[0]) {
                return HttpError::contentLength($seen);
            }
        }

        return self::length($values[0], $limits);
    }

    /** @return list<string> in lower case, without identity */
    private static function codings(string $list): array
    {
        return array_values(array_diff(array_map(trim(...), explode(',', strtolower($list))), ['', 'identity']));
    }

    /** @return self::CHUNKED|HttpError */
    private static function coding(string $seen, bool $hasLength, bool $isOld): int|HttpError
    {
        return match (true) {
            $hasLength => HttpError::lengthTwice(),
            $isOld => HttpError::codingInOldVersion(),
            strtolower($seen) !== 'chunked' => HttpError::coding($seen),
            default => self::CHUNKED,
        };
    }

    /** Whether the sender keeps the connection for another message (RFC 9112, section 9.3). */
    public static function keepsAlive(?string $connection, bool $isOld): bool
    {
        if ($connection === null) {
            return ! $isOld;
        }

        $options = strtolower($connection);

        return match ($options) {
            'keep-alive' => true,
            'close' => false,
            default => preg_match('/(?:\A|,)[ \t]*close[ \t]*(?:,|\z)/', $options) !== 1
                && (! $isOld || preg_match('/(?:\A|,)[ \t]*keep-alive[ \t]*(?:,|\z)/', $options) === 1),
        };
    }
}
