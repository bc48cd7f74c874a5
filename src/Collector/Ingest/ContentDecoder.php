<?php

declare(strict_types=1);

namespace Headroom\Collector\Ingest;

use InflateContext;

use function inflate_add;
use function inflate_get_read_len;
use function inflate_get_status;
use function inflate_init;
use function ord;
use function str_starts_with;
use function strlen;
use function strtolower;
use function substr;
use function trim;

/**
 * Removes the content coding of a body. It decompresses in small steps, so that a small compressed body cannot fill the
 * memory.
 *
 * @internal
 */
final readonly class ContentDecoder
{
    /** Deflate expands it by at most a factor of a thousand. */
    private const CHUNK = 1024;

    /** Empty gzip members of twenty bytes cost time and add nothing to the size. */
    private const MAX_MEMBERS = 1_000;

    public function __construct(private int $limit) {}

    /** @return ?string the coding whose signature the body has */
    public static function codingOf(string $body): ?string
    {
        return match (true) {
            str_starts_with($body, "\x1F\x8B") => 'gzip',
            str_starts_with($body, "\x78\x01"),
            str_starts_with($body, "\x78\x9C"),
            str_starts_with($body, "\x78\xDA") => 'deflate',
            str_starts_with($body, "\x28\xB5\x2F\xFD") => 'zstd',
            default => null,
        };
    }

    /** @throws RequestError */
    public function decode(string $body, string $coding): string
    {
        return match (strtolower(trim($coding))) {
            '', 'identity' => $body,
            'gzip', 'x-gzip' => $this->gzip($body),
            'deflate' => $this->inflate(
                $body,
                self::isZlib($body) ? ZLIB_ENCODING_DEFLATE : ZLIB_ENCODING_RAW,
                'deflate',
                0,
            )[0],
            default => throw RequestError::encoding($coding),
        };
    }

    /**
     * RFC 1952 allows several members in sequence.
     *
     * @throws RequestError
     */
    private function gzip(string $body): string
    {
        $whole = '';
        $read = 0;
        $members = 0;

        do {
            [$part, $consumed] = $this->inflate($body, ZLIB_ENCODING_GZIP, 'gzip', $read, strlen($whole));
            $whole .= $part;
            $read += $consumed;
        } while ($read < strlen($body) && ++$members < self::MAX_MEMBERS);

        if ($read < strlen($body)) {
            throw RequestError::brokenEncoding('gzip');
        }

        return $whole;
    }

    /**
     * @param ?int $before size of the members before it; null if only one is allowed
     * @return array{string, int<1, max>} the content, and the number of bytes read
     *
     * @throws RequestError
     */
    private function inflate(string $body, int $encoding, string $name, int $from, ?int $before = null): array
    {
        $context = inflate_init($encoding);
        $whole = '';

        for ($at = $from; $context instanceof InflateContext && $at < strlen($body); $at += self::CHUNK) {
            $part = @inflate_add($context, substr($body, $at, self::CHUNK));

            if ($part === false) {
                break;
            }

            $whole .= $part;

            if (($before ?? 0) + strlen($whole) > $this->limit) {
                throw RequestError::bodyTooLarge($this->limit, true);
            }

            if (inflate_get_status($context) === ZLIB_STREAM_END) {
                $read = inflate_get_read_len($context);

                return $read > 0 && ($before !== null || $read === strlen($body))
                    ? [$whole, $read]
                    : throw RequestError::brokenEncoding($name);
            }
        }

        throw RequestError::brokenEncoding($name);
    }

    /** Some clients send deflate with a zlib header, as RFC 9110 specifies, and some without. */
    private static function isZlib(string $body): bool
    {
        return strlen($body) > 1 && (ord($body[0]) & 0x0F) === 8 && (ord($body[0]) * 256 + ord($body[1])) % 31 === 0;
    }
}
