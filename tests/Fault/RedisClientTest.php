<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use ErrorException;
use Headroom\Spool\RedisStore\Client\PhpRedisNode;
use Headroom\Spool\RedisStore\Client\ReconnectingClient;
use Headroom\Spool\RedisStore\Client\RedisFailure;
use Headroom\Tests\Contract\Support\ReplyLosingProxy;
use Headroom\Tests\Fault\Support\SetClock;
use Headroom\Tests\Support\Redis\Installed;
use Headroom\Tests\Support\Redis\Patience;
use Headroom\Tests\Support\Redis\RedisLibrary;
use Headroom\Tests\Support\Redis\RedisServer;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Redis;
use RuntimeException;

/**
 * The errors of a client when the server fails: whether the command may have run,
 * and the word with which Redis refused it.
 */
final class RedisClientTest extends TestCase
{
    private const KEY = '{a}';

    private const SET = "return redis.call('SET', KEYS[1], 'x')";

    /** @var list<RedisServer> */
    private array $servers = [];

    protected function tearDown(): void
    {
        array_map(static fn (RedisServer $server) => $server->stop(), $this->servers);
    }

    #[Test]
    #[DataProviderExternal(RedisLibrary::class, 'byName')]
    public function memory_that_is_full(RedisLibrary $library): void
    {
        $server = $this->server(['maxmemory' => 1, 'maxmemory-policy' => 'noeviction']);
        $client = $library->client($server->port);

        $this->assertRefused('OOM', fn (): mixed => $client->command(self::KEY, ['SET', self::KEY, 'x']));
        $this->assertRefused('OOM', fn (): mixed => $client->script(self::SET, [self::KEY]));
        self::assertNull(
            $client->command(self::KEY, ['GET', self::KEY]),
            'What is no write is answered, and by its own answer.',
        );
        $server->ask('CONFIG', 'SET', 'maxmemory', '0');
        self::assertSame('OK', $client->command(self::KEY, ['SET', self::KEY, 'x']));
    }

    #[Test]
    #[DataProviderExternal(RedisLibrary::class, 'byName')]
    public function a_replica_that_becomes_the_master(RedisLibrary $library): void
    {
        $this->servers[] = $replica = RedisServer::replicaOf($this->server());
        $client = $library->client($replica->port);

        $this->assertRefused('READONLY', fn (): mixed => $client->command(self::KEY, ['SET', self::KEY, 'x']));
        $this->assertRefused('READONLY', fn (): mixed => $client->script(self::SET, [self::KEY]));
        $replica->ask('REPLICAOF', 'NO', 'ONE');
        self::assertSame('OK', $client->command(self::KEY, ['SET', self::KEY, 'x']));
    }

    #[Test]
    #[DataProviderExternal(RedisLibrary::class, 'byName')]
    public function a_replica_without_its_master(RedisLibrary $library): void
    {
        $master = $this->server();
        $this->servers[] = $replica = RedisServer::replicaOf($master);
        $replica->ask('CONFIG', 'SET', 'replica-serve-stale-data', 'no');
        $client = $library->client($replica->port);
        $client->command(self::KEY, ['PING']);
        $master->kill();
        Patience::until(
            static fn (): bool => str_contains($replica->info('replication'), 'master_link_status:down'),
            'the replica misses its master',
        );

        $this->assertRefused('MASTERDOWN', fn (): mixed => $client->command(self::KEY, ['GET', self::KEY]));
    }

    #[Test]
    #[DataProviderExternal(RedisLibrary::class, 'byName')]
    public function a_disk_that_takes_no_snapshot(RedisLibrary $library): void
    {
        $server = $this->server();
        // Where the file should go, a directory is in the way.
        mkdir($server->file('dump.rdb'));
        $server->ask('CONFIG', 'SET', 'save', '3600 1000000');
        $server->ask('SET', 'before', 'x');
        $server->ask('BGSAVE');
        Patience::until(
            static fn (): bool => str_contains($server->info('persistence'), 'rdb_last_bgsave_status:err'),
            'the snapshot failed',
        );
        $client = $library->client($server->port);

        $this->assertRefused('MISCONF', fn (): mixed => $client->command(self::KEY, ['SET', self::KEY, 'x']));
        rmdir($server->file('dump.rdb'));
    }

    #[Test]
    #[DataProviderExternal(RedisLibrary::class, 'byName')]
    public function too_few_replicas(RedisLibrary $library): void
    {
        $client = $library->client($this->server(['min-replicas-to-write' => 1])->port);

        $this->assertRefused('NOREPLICAS', fn (): mixed => $client->command(self::KEY, ['SET', self::KEY, 'x']));
    }

    #[Test]
    #[DataProviderExternal(RedisLibrary::class, 'byName')]
    public function a_server_that_reads_its_data(RedisLibrary $library): void
    {
        $server = $this->server(['rdbcompression' => 'no']);
        $server->ask('EVAL', "for i = 1, 2000 do redis.call('SET', 'key'..i, string.rep('x', 1000)) end", 0);
        $server->ask('SAVE');
        // With this many microseconds for each key it is at it until it is killed.
        $server->restart(
            ['key-load-delay' => 20_000, 'loading-process-events-interval-bytes' => 1024],
            awaitReady: false,
        );
        Patience::until(static fn (): bool => self::saysOf($server) === 'LOADING', 'it is loading');
        $client = $library->client($server->port);

        $this->assertRefused('LOADING', fn (): mixed => $client->command(self::KEY, ['SET', self::KEY, 'x']));
    }

    #[Test]
    #[DataProviderExternal(RedisLibrary::class, 'byName')]
    public function a_server_that_is_busy_with_a_script(RedisLibrary $library): void
    {
        $server = $this->server(['busy-reply-threshold' => 1]);
        $client = $library->client($server->port);
        $client->command(self::KEY, ['PING']);
        $socket = stream_socket_client("tcp://127.0.0.1:{$server->port}");
        self::assertIsResource($socket);
        fwrite($socket, "EVAL 'while true do end' 0\r\n");
        Patience::until(static fn (): bool => self::saysOf($server) === 'BUSY', 'it is busy');

        $this->assertRefused('BUSY', fn (): mixed => $client->command(self::KEY, ['SET', self::KEY, 'x']));
        $server->ask('SCRIPT', 'KILL');
        Patience::until(static fn (): bool => self::saysOf($server) === '', 'it has time again');
        self::assertSame('OK', $client->command(self::KEY, ['SET', self::KEY, 'x']));
    }

    #[Test]
    #[DataProviderExternal(RedisLibrary::class, 'byName')]
    public function a_reply_that_comes_too_late_is_not_the_answer_to_the_next_command(RedisLibrary $library): void
    {
        $server = $this->server();
        $client = $library->client($server->port, seconds: 1.0);
        self::assertSame('OK', $client->command(self::KEY, ['SET', self::KEY, 'before']));

        $server->freeze();
        $this->assertReplyLost(fn (): mixed => $client->command(self::KEY, ['SET', self::KEY, 'late']));
        $server->thaw();

        self::assertSame('mine', $client->command(self::KEY, ['ECHO', 'mine']));
        self::assertSame(
            'late',
            $client->command(self::KEY, ['GET', self::KEY]),
            'It has run, as was said it may have.',
        );
    }

    #[Test]
    public function a_persistent_connection_goes_to_the_next_client_unless_an_answer_may_still_come(): void
    {
        Installed::phpRedis();
        // Switches off phpredis's own check of a connection.
        self::assertNotFalse(ini_set('redis.pconnect.echo_check_liveness', '0'));
        $server = $this->server();
        $client = static fn (): ReconnectingClient => new ReconnectingClient(
            static fn (): PhpRedisNode => PhpRedisNode::open(static function () use ($server): Redis {
                $redis = new Redis;
                $redis->pconnect('127.0.0.1', $server->port, 1.0, 'headroom-test', 0, 1.0);

                return $redis;
            }),
        );
        $first = $client()->command(self::KEY, ['CLIENT', 'ID']);
        self::assertSame($first, $client()->command(self::KEY, ['CLIENT', 'ID']));

        $next = $client();
        $next->command(self::KEY, ['PING']);
        $server->freeze();
        $this->assertReplyLost(static fn (): mixed => $next->command(self::KEY, ['SET', self::KEY, 'late']));
        unset($next);
        $server->thaw();

        self::assertSame('mine', $client()->command(self::KEY, ['ECHO', 'mine']));
        self::assertNotSame($first, $client()->command(self::KEY, ['CLIENT', 'ID']));
        ini_restore('redis.pconnect.echo_check_liveness');
    }

    #[Test]
    #[DataProviderExternal(RedisLibrary::class, 'byName')]
    public function a_server_that_takes_connections_and_is_silent(RedisLibrary $library): void
    {
        $server = $this->server();
        $server->freeze();
        $client = $library->client($server->port, seconds: 1.0);
        $append = fn (): mixed => $client->command(self::KEY, ['APPEND', self::KEY, 'x']);
        // Predis asks something when it connects, so that nothing of ours is sent.
        $sent = $library === RedisLibrary::PhpRedis;

        for ($i = 0; $i < 2; $i++) {
            $sent ? $this->assertReplyLost($append) : $this->assertNotReached($append);
        }

        $server->thaw();
        self::assertSame('mine', $client->command(self::KEY, ['ECHO', 'mine']));
        self::assertSame($sent ? 'xx' : null, $client->command(self::KEY, ['GET', self::KEY]));
    }

    #[Test]
    #[DataProviderExternal(RedisLibrary::class, 'byName')]
    public function a_server_that_dies_of_a_command(RedisLibrary $library): void
    {
        $client = $library->client($this->server()->port);
        self::assertSame('OK', $client->command(self::KEY, ['SET', self::KEY, 'x']));

        $this->assertReplyLost(fn (): mixed => $client->command(self::KEY, ['SHUTDOWN', 'NOSAVE']));
        $this->assertNotReached(fn (): mixed => $client->command(self::KEY, ['SET', self::KEY, 'x']));
    }

    #[Test]
    #[DataProviderExternal(RedisLibrary::class, 'byName')]
    public function a_command_whose_reply_is_lost_is_not_sent_again(RedisLibrary $library): void
    {
        $server = $this->server();
        $proxy = ReplyLosingProxy::to('127.0.0.1', (string) $server->port);

        try {
            $client = $library->client($proxy->port);
            $client->command(self::KEY, ['PING']);
            $proxy->loseNextReply();
            $this->assertReplyLost(fn (): mixed => $client->command(self::KEY, ['INCR', self::KEY]));
            $proxy->losesNoMore();

            self::assertSame('1', $server->ask('GET', self::KEY));
            self::assertSame('1', $client->command(self::KEY, ['GET', self::KEY]));
        } finally {
            $proxy->stop();
        }
    }

    #[Test]
    #[DataProviderExternal(RedisLibrary::class, 'byName')]
    public function a_connection_that_breaks_while_it_is_written_to(RedisLibrary $library): void
    {
        $server = $this->server(['client-query-buffer-limit' => '1mb']);
        $client = $library->client($server->port);
        $client->command(self::KEY, ['PING']);
        // As Laravel's does.
        set_error_handler(static fn (
            int $level,
            string $message,
        ): bool => (error_reporting() & $level) === 0 ? true : throw new ErrorException($message, 0, $level));

        try {
            $this->assertReplyLost(fn (): mixed => $client->command(
                self::KEY,
                ['SET', self::KEY, str_repeat('x', 32 << 20)],
            ));
            $this->assertNotReached(static fn (): mixed => $library->client(1)->command(self::KEY, ['PING']));
            $this->assertNotReached(static fn (): mixed => $library->node('..', 6379));
        } finally {
            restore_error_handler();
        }

        self::assertNull($client->command(self::KEY, ['GET', self::KEY]));
    }

    #[Test]
    #[DataProviderExternal(RedisLibrary::class, 'byName')]
    public function a_server_that_does_not_listen_is_reported_and_found_again(RedisLibrary $library): void
    {
        $server = $this->server();
        $client = $library->client($server->port);
        $server->kill();

        $this->assertNotReached(fn (): mixed => $client->command(self::KEY, ['SET', self::KEY, 'x']));
        $this->assertNotReached(static fn (): mixed => $client->script('return 1', [self::KEY]));
        $server->restart();
        self::assertSame('OK', $client->command(self::KEY, ['SET', self::KEY, 'x']));
    }

    #[Test]
    #[DataProviderExternal(RedisLibrary::class, 'byName')]
    public function an_idle_connection_that_was_closed_costs_nothing(RedisLibrary $library): void
    {
        $clock = new SetClock(1_000_000);
        $server = $this->server();
        $client = $library->client($server->port, clock: $clock);
        $client->command(self::KEY, ['PING']);
        $server->restart();
        $clock->sleep(2_000_000);

        self::assertSame('OK', $client->command(self::KEY, ['SET', self::KEY, 'x']));
        $server->kill();
        $clock->sleep(2_000_000);
        $this->assertNotReached(fn (): mixed => $client->command(self::KEY, ['SET', self::KEY, 'x']));
    }

    #[Test]
    #[DataProviderExternal(RedisLibrary::class, 'byName')]
    public function a_connection_in_use_that_was_closed_leaves_one_command_in_doubt(RedisLibrary $library): void
    {
        $server = $this->server();
        $client = $library->client($server->port, clock: new SetClock(1_000_000));
        $client->command(self::KEY, ['PING']);
        $server->restart();

        $this->assertReplyLost(fn (): mixed => $client->command(self::KEY, ['SET', self::KEY, 'x']));
        self::assertSame('OK', $client->command(self::KEY, ['SET', self::KEY, 'y']));
    }

    #[Test]
    #[DataProviderExternal(RedisLibrary::class, 'byName')]
    public function wait_confirms_nothing_over_a_connection_that_has_not_written(RedisLibrary $library): void
    {
        $clock = new SetClock(1_000_000);
        $master = $this->server();
        $this->servers[] = $replica = RedisServer::replicaOf($master);
        $client = $library->client($master->port, clock: $clock);
        $wait = fn (): mixed => $client->command(self::KEY, ['WAIT', 1, 100]);

        $this->assertReplyLost($wait);
        $replica->freeze();
        self::assertSame('OK', $client->command(self::KEY, ['SET', self::KEY, 'x']));
        self::assertSame(0, $wait());
        $master->ask('CLIENT', 'KILL', 'TYPE', 'normal');
        $clock->sleep(2_000_000);
        $this->assertReplyLost($wait);
        $replica->thaw();
        self::assertSame('OK', $client->command(self::KEY, ['SET', self::KEY, 'y']));
        self::assertSame(1, $client->command(self::KEY, ['WAIT', 1, 9_000]));
    }

    private static function saysOf(RedisServer $server): string
    {
        try {
            $server->ask('GET', 'key');

            return '';
        } catch (RuntimeException $e) {
            return explode(' ', $e->getMessage())[0];
        }
    }

    /** @param callable(): mixed $do */
    private function assertRefused(string $word, callable $do): void
    {
        $failure = $this->failure($do);
        self::assertSame([$word, false], [$failure->kind, $failure->mayHaveRun], $failure->getMessage());
    }

    /** @param callable(): mixed $do */
    private function assertReplyLost(callable $do): void
    {
        $failure = $this->failure($do);
        self::assertSame(['', true], [$failure->kind, $failure->mayHaveRun], $failure->getMessage());
    }

    /** @param callable(): mixed $do */
    private function assertNotReached(callable $do): void
    {
        $failure = $this->failure($do);
        self::assertSame(['', false], [$failure->kind, $failure->mayHaveRun], $failure->getMessage());
    }

    /** @param callable(): mixed $do */
    private function failure(callable $do): RedisFailure
    {
        try {
            $reply = $do();
        } catch (RedisFailure $e) {
            return $e;
        }

        self::fail('It was answered: '.json_encode($reply));
    }

    /** @param array<string, string|int> $options */
    private function server(array $options = []): RedisServer
    {
        return $this->servers[] = RedisServer::start($options);
    }
}
