<?php

declare(strict_types=1);

namespace Headroom\Http;

use function ctype_digit;
use function in_array;
use function ltrim;
use function max;
use function preg_match;
use function strlen;
use function strtolower;

/**
 * What header fields say of the message they stand in: for whom it is, how long its body is, and what becomes of the
 * connection. Whatever two readers could understand in two ways is refused (RFC 9112, sections 3.2, 6 and 11.2).
 *
 * @internal
 */
final readonly class Framing
{
    public const CHUNKED = -1;

    private const WITH_BODY = ['POST', 'PUT', 'PATCH'];

    /**
     * @param array<string, string> $headers as HeaderBlock gives them: of a field that was sent twice the value has ',
     *     ' in it
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

    /** @return int<0, max>|HttpError */
    public static function length(string $seen, MessageLimits $limits): int|HttpError
    {
        if (! ctype_digit($seen)) {
            return HttpError::contentLength($seen);
        }

        // Eighteen digits are less than what an integer holds. A cast makes 0 of more than 308:
        // a body that would be read as a request.
        $length = strlen(ltrim($seen, '0')) > 18 ? PHP_INT_MAX : max(0, (int) $seen);

        return $length > $limits->bodyBytes ? HttpError::bodyTooLarge($limits->bodyBytes) : $length;
    }

    /** @return self::CHUNKED|HttpError */
    public static function coding(string $seen, bool $hasLength, bool $isOld): int|HttpError
    {
        return match (true) {
            $hasLength => HttpError::lengthTwice(),
            $isOld => HttpError::codingInOldVersion(),
            strtolower($seen) !== 'chunked' => HttpError::coding($seen),
            default => self::CHUNKED,
        };
    }

    /** Whether the connection is to be kept for another message, by the one side's word (RFC 9112, section 9.3). */
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
