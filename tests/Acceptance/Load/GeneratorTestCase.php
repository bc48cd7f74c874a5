<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Load;

use Headroom\Load\Executor\LoadGenerator;
use Headroom\Load\Metrics\LoadResult;
use Headroom\Load\Plan;
use Headroom\Load\Request;
use Headroom\Load\SameRequest;
use PHPUnit\Framework\TestCase;

/**
 * A generator and a server of its own.
 */
abstract class GeneratorTestCase extends TestCase
{
    /** @var string in fixtures/ */
    protected const SCRIPT = 'server.php';

    protected HttpServer $server;

    protected function setUp(): void
    {
        $this->server = HttpServer::start(static::SCRIPT);
    }

    protected function tearDown(): void
    {
        $this->server->stop();
    }

    protected function send(string $path, Plan $plan, ?string $body = null): LoadResult
    {
        return (new LoadGenerator)->run(
            $plan,
            new SameRequest(new Request($this->server->url($path), $body === null ? 'GET' : 'POST', $body)),
        );
    }
}
