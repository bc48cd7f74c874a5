<?php

declare(strict_types=1);

namespace Headroom\Collector;

use Closure;

/**
 * Sends requests to other servers without blocking the event loop.
 */
interface HttpClient
{
    /**
     * Calls exactly one of the two closures, later, from the event loop.
     *
     * @param string $url http://host[:port]/path?query
     * @param array<string, string> $headers by name; Host, Content-Length and Connection are added
     * @param float $timeout seconds for the whole exchange, including the connect
     * @param Closure(Response): void $then called with a response of any status
     * @param Closure(UnableToCall): void $failed called if there is no response
     */
    public function call(
        string $method,
        string $url,
        array $headers,
        string $body,
        float $timeout,
        Closure $then,
        Closure $failed,
    ): void;
}
