<?php

declare(strict_types=1);

namespace Headroom\Collector;

use Closure;

/**
 * Calls to other servers that hold nobody up.
 */
interface HttpClient
{
    /**
     * Exactly one of the two closures is called, later, from the loop.
     *
     * @param string $url http://host[:port]/path?query
     * @param array<string, string> $headers by name; Host, Content-Length and Connection are added
     * @param float $timeout seconds for the whole exchange, connecting included
     * @param Closure(Response): void $then whatever the status is
     * @param Closure(UnableToCall): void $failed there was no answer
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
