<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Load\Transport;

use Headroom\Load\Failure;
use Headroom\Load\Request;
use Headroom\Load\Transport\Client;
use Headroom\Load\Transport\EncodedRequest;
use Headroom\Load\Transport\Exchange;
use Headroom\Load\Transport\HostResolver;
use Headroom\Tests\Unit\Support\ManualClock;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class ClientTest extends TestCase
{
    #[Test]
    public function a_name_that_takes_longer_than_there_is_time_is_a_timeout(): void
    {
        $clock = new ManualClock;
        $client = new Client($clock, 1.0, false, 1, new HostResolver($clock, static function () use ($clock): array {
            $clock->sleep(5_000_000);

            return ['192.0.2.1'];
        }));
        $exchange = new Exchange;
        $exchange->prepare(EncodedRequest::of(new Request('http://shop.test/')), null);
        $client->begin($exchange);

        self::assertSame([$exchange], $client->work(0));
        self::assertSame(
            [Failure::TimeoutConnecting, 5_000_000, 0],
            [$exchange->failure, $exchange->micros(), $exchange->connections],
        );
        self::assertSame(0, $client->inFlight());
    }
}
