<?php

declare(strict_types=1);

namespace Headroom\Http;

/**
 * The largest message that a parser accepts.
 *
 * @internal
 */
final readonly class MessageLimits
{
    /**
     * @param int<1, max> $startLineBytes request line or status line, without the line's end; a lenient parser applies
     *     it to each line of the header section
     * @param int<1, max> $headerBytes all header fields with the empty line after them; trailers have the same limit,
     *     and so have chunk extensions
     * @param int<1, max> $headers fields
     * @param int<0, max> $bodyBytes without transfer coding; a content coding is still on it
     */
    public function __construct(
        public int $startLineBytes = 8_192,
        public int $headerBytes = 16_384,
        public int $headers = 100,
        public int $bodyBytes = 5_242_880,
    ) {}
}
