<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Redis;

use Closure;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Redis\RedisInfo;
use Headroom\Doctor\Redis\RedisServer;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class RedisServerTest extends TestCase
{
    /** @return iterable<string, array{string, string}> */
    public static function places(): iterable
    {
        yield 'a name' => ['tcp://cache:6380', "redis-cli -h 'cache' -p 6380 info"];
        yield 'IPv6, which redis-cli takes without brackets' => ['tcp://[::1]:6379', "redis-cli -h '::1' -p 6379 info"];
        yield 'TLS' => ['tls://cache:6379', "redis-cli -h 'cache' -p 6379 --tls info"];
        yield 'a socket' => ['unix:///run/redis.sock', "redis-cli -s '/run/redis.sock' info"];
    }

    #[Test]
    #[DataProvider('places')]
    public function the_command_for_a_question_has_its_address(string $place, string $command): void
    {
        self::assertSame($command, (new RedisServer($place))->cli('info'));
    }

    #[Test]
    public function valkey_has_programs_of_its_own(): void
    {
        $server = new RedisServer(
            'tcp://cache:6379',
            info: RedisInfo::parse("redis_version:7.2.4\r\nserver_name:valkey\r\nvalkey_version:8.1.1\r\n"),
        );

        self::assertSame(['valkey', "valkey-cli -h 'cache' -p 6379 info"], [$server->product(), $server->cli('info')]);
    }

    /** @return iterable<string, array{Closure(RedisServer): mixed, string, string}> name and command */
    public static function unsaid(): iterable
    {
        yield 'a number' => [
            static fn (RedisServer $server): float => $server->number('used_memory'), 'used_memory', 'info',
        ];
        yield 'a setting' => [
            static fn (RedisServer $server): string => $server->setting('maxclients'),
            'maxclients',
            'config get maxclients',
        ];
    }

    /** @param Closure(RedisServer): mixed $ask */
    #[Test]
    #[DataProvider('unsaid')]
    public function a_missing_fact_names_the_command_that_asks_the_same_server(
        Closure $ask,
        string $name,
        string $words,
    ): void {
        try {
            $ask(new RedisServer('tcp://cache:6380'));
            self::fail('It says nothing.');
        } catch (FactUnavailable $e) {
            self::assertStringContainsString('tcp://cache:6380', $e->getMessage());
            self::assertStringContainsString($name, $e->getMessage());
            self::assertSame("redis-cli -h 'cache' -p 6380 {$words}", $e->command);
        }
    }
}
