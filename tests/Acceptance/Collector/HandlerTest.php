<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Collector;

use Headroom\Tests\Acceptance\Collector\Support\Client;
use Headroom\Tests\Acceptance\Collector\Support\Handlers\Caller;
use Headroom\Tests\Acceptance\Collector\Support\Handlers\Hello;
use Headroom\Tests\Acceptance\Collector\Support\Running;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * Handlers of an application in the collector.
 */
final class HandlerTest extends TestCase
{
    #[Test]
    public function a_handler_is_mounted_below_its_prefix_only(): void
    {
        $collector = Running::start(['workers' => 1, 'handlers' => ['/hello' => Hello::class]]);

        self::assertSame([200, 'hello /hello'], Client::fetch($collector->address(), '/hello'));
        self::assertSame([200, 'hello /hello/you'], Client::fetch($collector->address(), '/hello/you'));
        self::assertSame(404, Client::fetch($collector->address(), '/hellothere')[0]);
    }

    /** nginx matches its locations with the path as it is resolved, and hands on the one that came. */
    #[Test]
    public function no_detour_leads_into_a_handler(): void
    {
        $collector = Running::start(['workers' => 1, 'handlers' => ['/hello' => Hello::class]]);

        foreach ([
            '/hello/../v1/events', '/hello/..', '/hello/./x', '/hello/%2e%2E/v1/events', '/hello/a/.%2e',
            '/hello/..%2fv1/events', '/hello%2F../v1',
        ] as $path) {
            [$status, , $body] = (new Client($collector->address()))->get($path)->answer();
            self::assertSame(
                [$path === '/hello%2F../v1' ? 404 : 400, false],
                [$status, str_contains($body, 'Hello')],
                $path,
            );
        }

        foreach (['/hello', '/hello/.well-known/x', '/hello/...', '/hello/a..b', '/hello/x?/../'] as $path) {
            self::assertSame(200, (new Client($collector->address()))->get($path)->answer()[0], $path);
        }
    }

    #[Test]
    public function a_handler_calls_another_server_and_keeps_the_connection(): void
    {
        $there = Running::start(['workers' => 1, 'handlers' => ['/hello' => Hello::class]]);
        $collector = Running::start(['workers' => 1, 'handlers' => ['/call' => Caller::class]]);

        for ($times = 0; $times < 5; $times++) {
            self::assertSame(
                [200, 'hello /hello/x'],
                Client::fetch($collector->address(), "/call/20?{$there->address()}/hello/x"),
            );
        }

        $there->waitFor(static fn (Running $it): bool => str_contains(
            Client::fetch($it->admin(), '/metrics')[1],
            'headroom_http_requests_total{code="200"} ',
        ));
        [, $metrics] = Client::fetch($there->admin(), '/metrics');
        self::assertSame(1, preg_match('/^headroom_connections (\d+)/m', $metrics));
        self::assertSame(502, Client::fetch($collector->address(), '/call?127.0.0.1:1/')[0]);
    }

    #[Test]
    public function a_call_that_gets_no_answer_ends_in_time_and_delays_no_request(): void
    {
        $silent = stream_socket_server('tcp://127.0.0.1:0');
        self::assertNotFalse($silent);
        $collector = Running::start(['workers' => 1, 'handlers' => ['/call' => Caller::class]]);
        $client = (new Client($collector->address()))->get('/call/0.3?'.stream_socket_get_name($silent, false).'/');

        self::assertSame(202, (new Client($collector->address()))->event('a')->answer()[0]);
        self::assertSame(504, $client->answer()[0]);
    }
}
