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
     * @param array<string, string> $headers by name in lower case; several of one name are joined with ', '
     * @param string $body without transfer coding
     */
    public function __construct(public RequestLine $line, public array $headers, public string $body) {}
}
