<?php

declare(strict_types=1);

namespace Headroom\Collector;

use function strtolower;

/**
 * One HTTP request, whole.
 */
final readonly class Request
{
    /**
     * @internal
     *
     * @param string $method as it was sent: methods are case-sensitive
     * @param string $path as it was sent, percent-encoded, without the query
     * @param string $query without its question mark; empty when there is none
     * @param array<string, string> $headers by name in lower case; several of one name are joined with ', '
     * @param string $body without transfer coding; a content coding is still on it
     * @param string $peer the client's address without its port; empty on a Unix socket
     */
    public function __construct(
        public string $method,
        public string $path,
        public string $query = '',
        public array $headers = [],
        public string $body = '',
        public string $peer = '',
    ) {}

    /** @internal */
    public function at(string $path): self
    {
        return new self($this->method, $path, $this->query, $this->headers, $this->body, $this->peer);
    }

    public function header(string $name): ?string
    {
        return $this->headers[strtolower($name)] ?? null;
    }
}
