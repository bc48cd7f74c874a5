<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract;

use Headroom\Spool\RedisStore\Client\Client;
use Headroom\Spool\RedisStore\Client\RedisFailure;
use Headroom\Tests\Contract\Support\RedisKind;
use Headroom\Tests\Support\ForkedChild;
use Headroom\Tests\Support\Redis\Resp;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class RedisClientTest extends TestCase
{
    private string $tag;

    protected function setUp(): void
    {
        $this->tag = '{client-'.bin2hex(random_bytes(6)).'}';
    }

    #[Test]
    #[DataProviderExternal(RedisKind::class, 'all')]
    public function every_byte_arrives_as_it_was_sent(RedisKind $kind): void
    {
        $client = $kind->client();
        $bytes = implode('', array_map(chr(...), range(0, 255)))."\r\n\$5\r\n\0";
        $key = $client->key("{$this->tag}:{$bytes}");

        self::assertSame('OK', $client->command($this->tag, ['SET', $key, $bytes]));
        self::assertSame($bytes, $client->command($this->tag, ['GET', $key]));
        self::assertSame(
            [$key, $bytes, '7', $bytes],
            $client->script(
                "return {KEYS[1], ARGV[1], ARGV[2], redis.call('GET', KEYS[1])}",
                ["{$this->tag}:{$bytes}"],
                [$bytes, 7],
            ),
        );
        self::assertSame($bytes, Resp::ask($kind->serverOf($key), 'GET', $key));
    }

    #[Test]
    #[DataProviderExternal(RedisKind::class, 'all')]
    public function eight_mebibytes_go_there_and_back(RedisKind $kind): void
    {
        $client = $kind->client();
        $large = str_repeat(random_bytes(1024), 8192);

        self::assertSame(
            8_388_608,
            $client->script(
                "redis.call('SET', KEYS[1], ARGV[1], 'EX', 60) return string.len(ARGV[1])",
                [$this->tag],
                [$large],
            ),
        );
        self::assertTrue($large === $client->command($this->tag, ['GET', $client->key($this->tag)]));
        self::assertSame(1, $client->command($this->tag, ['DEL', $this->tag]));
    }

    #[Test]
    #[DataProviderExternal(RedisKind::class, 'all')]
    public function a_reply_is_what_redis_means(RedisKind $kind): void
    {
        $client = $kind->client();
        $replies = [
            'false' => null, '0' => 0, '-1' => -1, '9007199254740993' => 9_007_199_254_740_992, '"0"' => '0',
            '""' => '', '"OK"' => 'OK', '{}' => [],
            'redis.status_reply("FINE")' => 'FINE',
            '{1, "a", false, {2, {}, "b"}, redis.status_reply("OK")}' => [1, 'a', null, [2, [], 'b'], 'OK'],
        ];

        foreach ($replies as $lua => $expected) {
            self::assertSame($expected, $client->script("return {$lua}", [$this->tag]), (string) $lua);
        }

        self::assertNull($client->command($this->tag, ['GET', $this->tag]));
        self::assertSame(1, $client->command($this->tag, ['INCR', $this->tag]));
        self::assertSame('1', $client->command($this->tag, ['GET', $this->tag]));
        self::assertNull($client->command($this->tag, ['BLPOP', "{$this->tag}:none", '0.01']));
        self::assertSame([], $client->command($this->tag, ['XRANGE', "{$this->tag}:none", '-', '+']));
    }

    #[Test]
    #[DataProviderExternal(RedisKind::class, 'all')]
    public function a_stream_is_read_as_entries(RedisKind $kind): void
    {
        $client = $kind->client();
        $id = $client->command($this->tag, ['XADD', $this->tag, '*', 'a', "\0\xff", 'b', '']);

        self::assertIsString($id);
        self::assertSame(
            [[$id, ['a', "\0\xff", 'b', '']]],
            $client->command($this->tag, ['XRANGE', $this->tag, '-', '+', 'COUNT', 10]),
        );
    }

    #[Test]
    #[DataProviderExternal(RedisKind::class, 'all')]
    public function a_script_that_the_server_does_not_know_runs_once(RedisKind $kind): void
    {
        $client = $kind->client();
        $script = "return redis.call('INCR', KEYS[1]) -- {$this->tag}";

        self::assertSame(1, $client->script($script, [$this->tag]));
        self::assertSame([1], Resp::ask($kind->serverOf($this->tag), 'SCRIPT', 'EXISTS', sha1($script)));
        self::assertSame(2, $client->script($script, [$this->tag]));
        Resp::ask($kind->serverOf($this->tag), 'SCRIPT', 'FLUSH');
        self::assertSame(3, $client->script($script, [$this->tag]));
    }

    #[Test]
    #[DataProviderExternal(RedisKind::class, 'all')]
    public function an_error_reply_is_a_reply_and_the_next_answer_fits_its_command(RedisKind $kind): void
    {
        $client = $kind->client();
        $client->command($this->tag, ['SET', $this->tag, 'text']);
        $errors = [
            'WRONGTYPE' => static fn (string $tag): mixed => $client->command($tag, ['LPUSH', $tag, 'x']),
            'ERR' => static fn (string $tag): mixed => $client->command($tag, ['INCR', $tag]),
            'FOO' => static fn (string $tag): mixed
                => $client->script('return redis.error_reply("FOO of our own")', [$tag]),
            'BUSYGROUP' => static fn (string $tag): mixed => array_map(
                static fn (): mixed => $client->command($tag, ['XGROUP', 'CREATE', "{$tag}:log", 'g', '0', 'MKSTREAM']),
                [1, 2],
            ),
        ];

        foreach ($errors as $word => $do) {
            $failure = self::failure(fn (): mixed => $do($this->tag));

            self::assertSame([$word, false], [$failure->kind, $failure->mayHaveRun], $failure->getMessage());
            self::assertStringContainsString(" {$word} ", $failure->getMessage());
            self::assertSame(
                "after {$word}",
                $client->command($this->tag, ['GETSET', "{$this->tag}:next", "after {$word}"]) ?? "after {$word}",
            );
            self::assertSame('text', $client->command($this->tag, ['GET', $this->tag]));
            $client->command($this->tag, ['DEL', "{$this->tag}:next"]);
        }
    }

    #[Test]
    #[DataProviderExternal(RedisKind::class, 'all')]
    public function the_prefix_goes_before_a_key_once(RedisKind $kind): void
    {
        $client = $kind->client('app:');
        $key = "app:{$this->tag}:a";

        self::assertSame($key, $client->key("{$this->tag}:a"));
        self::assertSame(
            $key,
            $client->script(
                "redis.call('SET', KEYS[1], ARGV[1]) return KEYS[1]",
                ["{$this->tag}:a"],
                ['app:is no key here'],
            ),
        );
        self::assertSame(
            'app:is no key here',
            $client->command("{$this->tag}:a", ['GET', $client->key("{$this->tag}:a")]),
        );
        self::assertSame('app:is no key here', Resp::ask($kind->serverOf($key), 'GET', $key));
    }

    #[Test]
    #[DataProviderExternal(RedisKind::class, 'all')]
    public function a_prefix_with_a_hash_tag_decides_the_slot(RedisKind $kind): void
    {
        $client = $kind->client('{app}:');
        $redirected = $kind->redirections();

        self::assertSame(1, $client->script("return redis.call('INCR', KEYS[1])", ["{$this->tag}:a"]));
        self::assertSame('1', Resp::ask($kind->serverOf('{app}'), 'GET', "{app}:{$this->tag}:a"));
        self::assertSame(1, $client->command("{$this->tag}:a", ['DEL', $client->key("{$this->tag}:a")]));
        self::assertSame($redirected, $kind->redirections(), 'The right server was asked at once.');
    }

    #[Test]
    #[DataProviderExternal(RedisKind::class, 'all')]
    public function info_and_wait_go_to_the_server_that_has_the_key(RedisKind $kind): void
    {
        $client = $kind->client();

        foreach (['a', 'b', 'c', 'd', 'e', 'f'] as $name) {
            $key = "{{$name}}{$this->tag}";
            self::assertSame('OK', $client->command($key, ['SET', $key, '1', 'EX', 60]));
            self::assertSame(
                $kind->isCluster() ? 1 : 0,
                $client->command($key, ['WAIT', $kind->isCluster() ? 1 : 0, 9_000]),
            );
            $info = $client->command($key, ['INFO', 'server']);

            self::assertIsString($info);
            self::assertStringContainsString("tcp_port:{$kind->serverOf($key)}\r\n", $info);
        }
    }

    #[Test]
    #[DataProviderExternal(RedisKind::class, 'all')]
    public function a_fork_has_a_connection_of_its_own(RedisKind $kind): void
    {
        $client = $kind->client();
        $own = $client->command($this->tag, ['CLIENT', 'ID']);
        $child = ForkedChild::start(
            fn (): bool => self::echoes($client, $this->tag, 'child')
                && $client->command($this->tag, ['CLIENT', 'ID']) !== $own,
        );
        $same = self::echoes($client, $this->tag, 'parent');

        self::assertTrue($child->isRight(), 'The child got an answer of the parent, or has its connection.');
        self::assertTrue($same, 'The parent got an answer of the child.');
        self::assertSame($own, $client->command($this->tag, ['CLIENT', 'ID']));
    }

    private static function echoes(Client $client, string $key, string $who): bool
    {
        for ($i = 0; $i < 300; $i++) {
            if ($client->command($key, ['ECHO', "{$who} {$i}"]) !== "{$who} {$i}") {
                return false;
            }
        }

        return true;
    }

    /** @param callable(): mixed $do */
    private static function failure(callable $do): RedisFailure
    {
        try {
            $do();
        } catch (RedisFailure $e) {
            return $e;
        }

        self::fail('Nothing was refused.');
    }
}
