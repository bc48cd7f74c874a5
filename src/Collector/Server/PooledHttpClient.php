<?php

declare(strict_types=1);

namespace Headroom\Collector\Server;

use Closure;
use Headroom\Collector\HttpClient;
use Headroom\Core\Clock;
use React\EventLoop\LoopInterface;

/**
 * @internal
 */
final class PooledHttpClient implements HttpClient
{
    /**
     * @param Closure(): bool $hasRoom
     * @param Closure(int): void $counted
     */
    public function __construct(private readonly LoopInterface $loop, private readonly Clock $clock, private readonly Closure $hasRoom, private readonly Closure $counted) {}

    public function call(string $method, string $url, array $headers, string $body, float $timeout, Closure $then, Closure $failed): void
    {
    }
}
