<?php

declare(strict_types=1);

namespace Headroom\Http;

/**
 * One complete request.
 *
 * @internal
 */
final readonly class RequestMessage
{
    /**
     * @param string $method as it was sent: methods are case-sensitive
     * @param string $path as it was sent, percent-encoded, without the query
     * @param string $query without its question mark; empty when there is none
     * @param array<string, string> $headers by name in lower case; several of one name are joined with ', '
     * @param string $body without transfer coding
     */
    public function __construct(
        public string $method,
        public string $path,
        public string $query,
        public array $headers,
        public string $body,
    ) {}
}
