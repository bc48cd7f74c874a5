<?php

declare(strict_types=1);

namespace Headroom\Collector;

use Headroom\Http\RequestMessage;

use function strtolower;

/**
 * A complete HTTP request.
 */
final readonly class Request
{
    /**
     * @internal
     *
     * @param string $method as sent: methods are case-sensitive
     * @param string $path as sent: percent-encoded, without the query
     * @param string $query without the question mark; empty if the target has no query
     * @param array<string, string> $headers by name in lower case; repeated headers are joined with ', '
     * @param string $body without transfer coding, but with its content coding
     * @param string $peer address of the client without the port; empty on a Unix socket
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
    public static function of(RequestMessage $message, string $peer): self
    {
        $line = $message->line;

        return new self($line->method, $line->path, $line->query, $message->headers, $message->body, $peer);
    }

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
