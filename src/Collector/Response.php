<?php

declare(strict_types=1);

namespace Headroom\Collector;

/**
 * A response to a client.
 */
final readonly class Response
{
    /**
     * @param int<200, 599> $status
     * @param array<string, string> $headers by name, without Content-Length, Connection, Transfer-Encoding and Date:
     *     the server adds these
     */
    public function __construct(public int $status, public string $body = '', public array $headers = []) {}

    /**
     * @internal
     *
     * @param array<string, string> $headers that are added if the response does not have them
     */
    public function withHeaders(array $headers): self
    {
        return $headers === [] ? $this : new self($this->status, $this->body, $this->headers + $headers);
    }
}
