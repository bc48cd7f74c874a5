<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Laravel\Database\OpenConnections;
use Headroom\Laravel\Redis\RedisClients;
use Headroom\Spool\RedisStore\Client\Client;
use Headroom\Spool\RedisStore\Client\RedisFailure;
use Headroom\Support\InvalidConfig;
use Headroom\Tests\Support\ForkedChild;
use Headroom\Tests\Support\Redis\Installed;
use Headroom\Tests\Support\Redis\RedisServer;
use Headroom\Tests\Support\Redis\SharedRedis;
use Illuminate\Contracts\Config\Repository;
use Illuminate\Redis\RedisServiceProvider;
use Illuminate\Support\Facades\Redis as Facade;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use Redis;

final class RedisClientsTest extends TestCase
{
    private const PATTERN = "every byte of ours:\0\xff\r\n";

    private ?WorkbenchApplication $workbench = null;

    private ?RedisServer $server = null;

    protected function tearDown(): void
    {
        $this->workbench?->shut();
        $this->server?->stop();
    }

    /** @param array<string, mixed> $options */
    #[Test]
    #[TestWith(['phpredis', []])]
    #[TestWith(['phpredis', ['serializer' => 2, 'compression' => 1]])]
    #[TestWith(['phpredis', ['serializer' => 1, 'compression' => 2, 'compression_level' => 3]])]
    #[TestWith(['predis', []])]
    public function a_connection_stores_our_bytes_under_the_key_that_the_application_would_use(
        string $driver,
        array $options,
    ): void {
        $server = $this->server();
        $client = $this->client('default', [
            'client' => $driver,
            'options' => ['prefix' => 'shop_', ...$options],
            'default' => ['host' => '127.0.0.1', 'port' => $server->port, 'database' => '3'],
        ]);
        $text = str_repeat(self::PATTERN, 200);

        self::assertSame(
            "shop_{a}:log-{$text}",
            $client->script(
                "redis.call('SET', KEYS[1], ARGV[1]) return KEYS[1]..'-'..redis.call('GET', KEYS[1])",
                ['{a}:log'],
                [$text],
            ),
        );
        self::assertSame($text, $client->command('{a}', ['GET', $client->key('{a}:log')]));
        self::assertSame(1, Facade::exists('{a}:log'), "The application's facade finds it under the same name.");
        self::assertSame(200 * strlen(self::PATTERN), Facade::strlen('{a}:log'));
    }

    /** @param array<string, int> $limits */
    #[Test]
    #[TestWith(['phpredis', []])]
    #[TestWith(['phpredis', ['read_timeout' => 0]])]
    #[TestWith(['predis', ['read_write_timeout' => 0]])]
    public function a_silent_server_is_waited_for_one_second_by_default(string $driver, array $limits): void
    {
        $client = $this->client(
            'default',
            ['client' => $driver, 'default' => ['host' => '127.0.0.1', 'port' => $this->server()->port, ...$limits]],
        );
        $client->command('{a}', ['PING']);
        $this->server()->freeze();

        try {
            $client->command('{a}', ['INCR', '{a}']);
            self::fail('It was frozen.');
        } catch (RedisFailure $e) {
            self::assertTrue($e->mayHaveRun);
        } finally {
            $this->server()->thaw();
        }
    }

    #[Test]
    #[TestWith(['phpredis'])]
    #[TestWith(['predis'])]
    public function a_prefix_of_the_connection_goes_before_that_of_all(string $driver): void
    {
        $client = $this->client('buffer', [
            'client' => $driver,
            'options' => ['prefix' => 'all_'],
            'buffer' => ['url' => "redis://127.0.0.1:{$this->server()->port}/1", 'prefix' => 'own_'],
        ]);

        self::assertSame('own_{a}', $client->script('return KEYS[1]', ['{a}']));
        self::assertSame('own_{a}', $client->key('{a}'));
    }

    #[Test]
    #[TestWith(['phpredis'])]
    #[TestWith(['predis'])]
    public function a_transaction_of_the_application_does_not_swallow_our_commands(string $driver): void
    {
        $client = $this->client(
            'default',
            ['client' => $driver, 'default' => ['host' => '127.0.0.1', 'port' => $this->server()->port]],
        );

        Facade::command('multi');
        self::assertSame(1, $client->command('{a}', ['INCR', '{a}']));
        Facade::command('discard');
        self::assertSame('1', $this->server()->ask('GET', '{a}'));
    }

    #[Test]
    #[TestWith(['phpredis'])]
    #[TestWith(['predis'])]
    public function a_cluster_is_reached_through_one_of_its_nodes(string $driver): void
    {
        [$host, $port] = explode(':', SharedRedis::clusterNodes()[4]);
        $client = $this->client('shared', [
            'client' => $driver,
            'options' => ['cluster' => 'redis', 'prefix' => 'shop_'],
            'clusters' => [
                'options' => [
                    'read_timeout' => 2.0,
                    ...($driver === 'phpredis' ? ['serializer' => Redis::SERIALIZER_PHP] : []),
                ],
                'shared' => [
                    ['host' => $host, 'port' => $port, 'database' => '0'],
                    ['host' => '127.0.0.1', 'port' => 1],
                ],
            ],
        ]);
        $tag = bin2hex(random_bytes(4));

        foreach (range('a', 'h') as $letter) {
            $key = '{'.$letter.$tag.'}:log';
            self::assertSame(
                self::PATTERN,
                $client->script(
                    "redis.call('SET', KEYS[1], ARGV[1]) return redis.call('GET', KEYS[1])",
                    [$key],
                    [self::PATTERN],
                ),
            );
            self::assertSame(1, $client->command($key, ['DEL', "shop_{$key}"]));
        }
    }

    #[Test]
    #[TestWith(['phpredis'])]
    #[TestWith(['predis'])]
    public function a_client_made_before_a_fork_works_after_it_on_both_sides(string $driver): void
    {
        $client = $this->client('default', [
            'client' => $driver,
            'default' => [
                'host' => '127.0.0.1',
                'port' => $this->server()->port,
                'persistent' => true,
                'timeout' => 5,
                'read_timeout' => 5,
                'read_write_timeout' => 5,
            ],
        ]);
        $own = $client->command('{a}', ['CLIENT', 'ID']);
        (new OpenConnections($this->workbench->app ?? self::fail()))->close();
        $child = ForkedChild::start(
            static fn (): bool => self::counts($client) && $client->command('{a}', ['CLIENT', 'ID']) !== $own,
        );
        $counted = self::counts($client);

        self::assertTrue($child->isRight());
        self::assertTrue($counted);
        self::assertSame($own, $client->command('{a}', ['CLIENT', 'ID']));
        self::assertSame('400', $this->server()->ask('GET', '{a}'));
    }

    #[Test]
    #[TestWith(['phpredis'])]
    #[TestWith(['predis'])]
    public function nothing_is_connected_before_the_first_command(string $driver): void
    {
        $client = $this->client(
            'default',
            ['client' => $driver, 'default' => ['host' => '127.0.0.1', 'port' => 1, 'timeout' => 1.0]],
        );

        try {
            $client->command('{a}', ['PING']);
            self::fail('Nobody listens there.');
        } catch (RedisFailure $e) {
            self::assertFalse($e->mayHaveRun, $e->getMessage());
            self::assertStringStartsWith('Redis cannot be reached: ', $e->getMessage());
        }
    }

    #[Test]
    #[TestWith(['phpredis', 'WRONGPASS'])]
    #[TestWith(['predis', 'WRONGPASS'])]
    public function a_wrong_password_is_said(string $driver, string $word): void
    {
        $server = $this->server(['requirepass' => 'right']);
        $settings = ['host' => '127.0.0.1', 'port' => $server->port, 'password' => 'wrong'];
        $client = $this->client('default', ['client' => $driver, 'default' => $settings]);

        try {
            $client->command('{a}', ['PING']);
            self::fail('The password is another.');
        } catch (RedisFailure $e) {
            self::assertSame([$word, false], [$e->kind, $e->mayHaveRun], $e->getMessage());
        }
    }

    #[Test]
    #[TestWith(['phpredis'])]
    #[TestWith(['predis'])]
    public function a_server_that_is_no_cluster_says_so(string $driver): void
    {
        $client = $this->client('nodes', [
            'client' => $driver,
            'clusters' => ['nodes' => [['host' => '127.0.0.1', 'port' => $this->server()->port]]],
        ]);

        try {
            $client->command('{a}', ['PING']);
            self::fail('It is no cluster.');
        } catch (RedisFailure $e) {
            self::assertSame(['ERR', false], [$e->kind, $e->mayHaveRun]);
            self::assertStringContainsString('cluster support disabled', $e->getMessage());
        }
    }

    #[Test]
    #[TestWith(['phpredis'])]
    #[TestWith(['predis'])]
    public function a_database_that_is_not_there_is_said_and_nothing_is_written_to_another(string $driver): void
    {
        $client = $this->client('default', [
            'client' => $driver,
            'default' => ['host' => '127.0.0.1', 'port' => $this->server()->port, 'database' => 99],
        ]);

        try {
            $client->command('{a}', ['INCR', '{a}']);
            self::fail('There is no database 99.');
        } catch (RedisFailure $e) {
            self::assertSame(['ERR', false], [$e->kind, $e->mayHaveRun], $e->getMessage());
        }

        self::assertSame('', $this->server()->info('keyspace') === "# Keyspace\r\n" ? '' : 'keys');
    }

    #[Test]
    public function the_endpoint_that_the_benchmark_compares_with_adds_to_a_stream(): void
    {
        Installed::phpRedis();
        $this->workbench = WorkbenchApplication::boot(['REDIS_PORT' => (string) $this->server()->port]);
        $response = $this->workbench->postJson('/events/xadd', WorkbenchEvent::json());

        self::assertSame(202, $response->getStatusCode(), $this->workbench->log());
        self::assertSame('{"accepted":true}', $response->getContent());
        self::assertStringContainsString(
            'event-1',
            (string) json_encode($this->server()->ask('XRANGE', 'workbench_page-views', '-', '+')),
        );
    }

    #[Test]
    public function an_impossible_connection_is_refused_at_once(): void
    {
        foreach ([
            ['default', ['client' => 'relay', 'default' => []]],
            ['missing', ['client' => 'predis', 'default' => []]],
            ['options', ['client' => 'predis', 'options' => []]],
        ] as [$name, $redis]) {
            try {
                $this->client($name, $redis);
                self::fail("{$name} was taken.");
            } catch (InvalidConfig $e) {
                self::assertStringContainsString(
                    $name === 'default' ? 'phpredis or predis' : 'config/database.php',
                    $e->getMessage(),
                );
            }
        }
    }

    private static function counts(Client $client): bool
    {
        for ($i = 0; $i < 200; $i++) {
            $client->command('{a}', ['INCR', '{a}']);

            if ($client->command('{a}', ['ECHO', $i]) !== (string) $i) {
                return false;
            }
        }

        return true;
    }

    /** @param array<string, string|int> $options */
    private function server(array $options = []): RedisServer
    {
        return $this->server ??= RedisServer::start($options);
    }

    /** @param array<string, mixed> $redis */
    private function client(string $name, array $redis): Client
    {
        if (($redis['client'] ?? '') === 'phpredis') {
            Installed::phpRedis();
        }

        $this->workbench ??= WorkbenchApplication::boot();
        $app = $this->workbench->app;
        $config = $app->make(Repository::class);
        $config->set('database.redis', $redis);
        $app->register(RedisServiceProvider::class);
        Facade::clearResolvedInstances();

        return (new RedisClients($app, $config))->client($name);
    }
}
