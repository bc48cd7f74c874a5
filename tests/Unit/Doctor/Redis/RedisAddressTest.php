<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Redis;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Redis\RedisAddress;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class RedisAddressTest extends TestCase
{
    /** @return iterable<string, array{array<string, mixed>, string, string, string}> */
    public static function connections(): iterable
    {
        yield 'host and port' => [
            ['host' => '10.0.0.1', 'port' => '6380', 'password' => 'p'], 'tcp://10.0.0.1:6380', 'p', '',
        ];
        yield 'no port' => [['host' => 'cache'], 'tcp://cache:6379', '', ''];
        yield 'a path' => [['host' => '/run/redis.sock', 'port' => 0], 'unix:///run/redis.sock', '', ''];
        yield 'a scheme and a path' => [
            ['scheme' => 'unix', 'path' => '/run/redis.sock', 'host' => '127.0.0.1'], 'unix:///run/redis.sock', '', '',
        ];
        yield 'TLS by scheme' => [['scheme' => 'tls', 'host' => 'r.example'], 'tls://r.example:6379', '', ''];
        yield 'TLS in the host, as phpredis takes it' => [
            ['host' => 'tls://r.example', 'port' => 6390], 'tls://r.example:6390', '', '',
        ];
        yield 'IPv6' => [['host' => '::1'], 'tcp://[::1]:6379', '', ''];
        yield 'a URL' => [['url' => 'redis://u%40:p%2F@h:7000/2', 'host' => '127.0.0.1'], 'tcp://h:7000', 'p/', 'u@'];
        yield 'a URL of a socket' => [['url' => 'unix:///run/redis.sock'], 'unix:///run/redis.sock', '', ''];
        yield 'a password in the host' => [['host' => 'redis://:S3CRET@h'], 'tcp://h:6379', 'S3CRET', ''];
        yield 'user and password as a list' => [
            ['host' => 'h', 'password' => ['user', 'pass']], 'tcp://h:6379', 'pass', 'user',
        ];
    }

    /** @param array<string, mixed> $connection */
    #[Test]
    #[DataProvider('connections')]
    public function it_is_the_one_that_laravel_speaks_to(
        array $connection,
        string $place,
        string $password,
        string $user,
    ): void {
        $addresses = RedisAddress::of(self::application($connection));

        self::assertCount(1, $addresses);
        self::assertSame(
            [$place, $password, $user, ['session']],
            [$addresses[0]->place, $addresses[0]->password, $addresses[0]->user, $addresses[0]->uses],
        );
    }

    /** @return iterable<string, array{array<string, mixed>}> */
    public static function unreadable(): iterable
    {
        yield 'a URL with a slash in its password' => [['url' => 'redis://:a/b@10.0.0.9:6379', 'host' => '127.0.0.1']];
        yield 'a URL with a hash in its password' => [['url' => 'redis://:a#b@10.0.0.9:6379', 'host' => '127.0.0.1']];
        yield 'no URL' => [['url' => 'S3CRET', 'host' => '127.0.0.1']];
        yield 'a list of hosts' => [['host' => ['a', 'b']]];
    }

    /** @param array<string, mixed> $connection */
    #[Test]
    #[DataProvider('unreadable')]
    public function an_unreadable_address_is_unknown_and_no_other_server_is_judged(array $connection): void
    {
        try {
            $addresses = RedisAddress::of(self::application($connection));
            self::assertSame('tcp://10.0.0.9:6379', $addresses[0]->place ?? '');
        } catch (FactUnavailable $e) {
            self::assertStringNotContainsString('S3CRET', $e->getMessage());
            self::assertStringNotContainsString('a/b', $e->getMessage());
        }
    }

    /** @param array<string, mixed> $connection */
    private static function application(array $connection): Application
    {
        return new Application(
            '/app',
            '12',
            'production',
            false,
            [],
            ['session' => ['driver' => 'redis'], 'database' => ['redis' => ['default' => $connection]]],
        );
    }
}
