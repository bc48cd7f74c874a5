<?php

declare(strict_types=1);

namespace Headroom\Collector;

/**
 * What a client is answered.
 */
final readonly class Response
{
    /**
     * @param int<200, 599> $status
     * @param array<string, string> $headers by name; Content-Length, Connection, Transfer-Encoding and Date are not
     *     among them: whoever writes it to the wire knows better
     */
    public function __construct(public int $status, public string $body = '', public array $headers = []) {}
}
