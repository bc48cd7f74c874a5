<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Closure;
use Headroom\Laravel\Redis\RedisClients;
use Headroom\Process\Ports;
use Headroom\Spool\RedisStore\Client\Client;
use Headroom\Spool\RedisStore\Client\RedisFailure;
use Headroom\Tests\Laravel\Support\Outcome;
use Headroom\Tests\Laravel\Support\ScratchApplication;
use Headroom\Tests\Support\Redis\Certificates;
use Headroom\Tests\Support\Redis\Installed;
use Headroom\Tests\Support\Redis\Patience;
use Headroom\Tests\Support\Redis\RedisServer;
use Headroom\Tests\Support\Sample;
use Illuminate\Contracts\Config\Repository;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/**
 * TLS with a certificate that is verified, a user with a password, a socket of the filesystem:
 * as config/database.php says.
 */
#[RequiresPhpExtension('openssl')]
final class RedisTransportTest extends TestCase
{
    private const USER = ['username' => 'shop', 'password' => "r:i/g@h't"];

    /** Seconds. The default, one, may be too short for a handshake on a busy machine. */
    private const LIMITS = ['timeout' => 5, 'read_timeout' => 5, 'read_write_timeout' => 5];

    private Certificates $certificates;

    private RedisServer $server;

    private int $port;

    private ?WorkbenchApplication $workbench = null;

    private ?ScratchApplication $app = null;

    protected function setUp(): void
    {
        $this->certificates = Certificates::make();
        $this->start();
    }

    protected function tearDown(): void
    {
        $this->workbench?->shut();
        $this->app?->remove();
        $this->server->stop();
        $this->certificates->remove();
    }

    /** @return array<string, array{string, array<string, mixed>}> */
    public static function ways(): array
    {
        $password = rawurlencode(self::USER['password']);

        return [
            'phpredis, scheme' => ['phpredis', ['scheme' => 'tls', 'host' => '127.0.0.1', ...self::USER]],
            'phpredis, host' => ['phpredis', ['host' => 'tls://127.0.0.1', ...self::USER]],
            'phpredis, url' => ['phpredis', ['url' => "rediss://shop:{$password}@127.0.0.1:PORT"]],
            'predis, scheme' => ['predis', ['scheme' => 'tls', 'host' => '127.0.0.1', ...self::USER]],
            'predis, host' => ['predis', ['host' => 'tls://127.0.0.1', ...self::USER]],
            'predis, url' => ['predis', ['url' => "rediss://shop:{$password}@127.0.0.1:PORT"]],
        ];
    }

    /** @param array<string, mixed> $settings */
    #[Test, Group('day-2')]
    #[DataProvider('ways')]
    public function a_certificate_is_verified_and_the_user_is_that_of_the_connection(
        string $client,
        array $settings,
    ): void {
        $trusting = $this->client($client, $this->trusting($this->certificates->authority()) + $settings);
        self::assertSame('shop', $trusting->command('{a}', ['ACL', 'WHOAMI']));
        self::assertSame(
            'shop_{a}:log',
            $trusting->script("redis.call('SET', KEYS[1], ARGV[1]) return KEYS[1]", ['{a}:log'], ["\0\xff"]),
        );

        foreach ([
            [],
            $this->trusting($this->certificates->anotherAuthority()),
            $this->trusting($this->certificates->authority(), ['peer_name' => 'elsewhere.test']),
        ] as $wrong) {
            try {
                $this->client($client, $wrong + $settings)->command('{a}', ['INCR', '{b}']);
                self::fail('It was trusted.');
            } catch (RedisFailure $e) {
                self::assertFalse($e->mayHaveRun);
                self::assertMatchesRegularExpression(
                    '/certificate verify failed|did not match expected CN/',
                    $e->getMessage(),
                );
            }
        }
    }

    #[Test, Group('day-1')]
    #[TestWith(['phpredis'])]
    #[TestWith(['predis'])]
    public function a_socket_of_the_filesystem_is_taken_as_each_library_wants_it(string $client): void
    {
        $path = $this->server->file('socket');
        $settings = $client === 'phpredis' ? ['host' => $path, 'port' => 0] : ['scheme' => 'unix', 'path' => $path];
        self::assertSame(
            'shop',
            $this->client($client, [...$settings, ...self::USER])->command('{a}', ['ACL', 'WHOAMI']),
        );
    }

    #[Test]
    #[TestWith(['phpredis'])]
    #[TestWith(['predis'])]
    public function a_right_that_the_user_lacks_is_named(string $client): void
    {
        $this->server->ask('ACL', 'SETUSER', 'shop', '-evalsha', '-eval');

        try {
            $this->client($client, [
                'scheme' => 'tls',
                'host' => '127.0.0.1',
                ...self::USER,
                ...$this->trusting($this->certificates->authority()),
            ])->script('return 1', ['{a}']);
            self::fail('It may not.');
        } catch (RedisFailure $e) {
            self::assertSame(['NOPERM', false], [$e->kind, $e->mayHaveRun]);
            self::assertStringContainsString('evalsha', $e->getMessage());
        }
    }

    #[Test, Group('day-3')]
    #[TestWith(['phpredis', 'scheme'])]
    #[TestWith(['phpredis', 'host'])]
    #[TestWith(['predis', 'scheme'])]
    #[TestWith(['predis', 'host'])]
    public function a_cluster_is_reached_so_on_all_its_nodes(string $client, string $way): void
    {
        $this->server->stop();
        $this->start(static fn (): array => [
            'cluster-enabled' => 'yes',
            'tls-cluster' => 'yes',
            'cluster-announce-ip' => '127.0.0.1',
            'cluster-port' => Ports::free(),
        ]);
        $this->server->ask('CLUSTER', 'ADDSLOTSRANGE', 0, 16383);
        Patience::until(
            fn (): bool
                => str_contains((string) json_encode($this->server->ask('CLUSTER', 'INFO')), 'cluster_state:ok'),
            'the cluster is there',
        );
        $ssl = ['cafile' => $this->certificates->authority()];
        $seed = [
            'port' => $this->port,
            ...self::LIMITS,
            ...self::USER,
            ...($way === 'host' ? ['host' => 'tls://127.0.0.1'] : ['scheme' => 'tls', 'host' => '127.0.0.1']),
            ...($client === 'predis' ? ['ssl' => $ssl] : []),
        ];
        $found = $this->client($client, null, ['clusters' => [
            'default' => [['port' => 1] + $seed, $seed],
            'options' => $client === 'phpredis' ? ['context' => $ssl] : [],
        ]]);

        self::assertSame('shop', $found->command('{a}', ['ACL', 'WHOAMI']));
    }

    /** @return array<int, array{string}> */
    public static function clients(): array
    {
        return Sample::of([
            ['phpredis'],
            ['predis'],
        ], 1);
    }

    #[Test, Group('day-1')]
    #[DataProvider('clients')]
    public function an_application_buffers_and_flushes_over_it_and_loses_nothing_when_it_breaks(string $client): void
    {
        $app = $this->app = ScratchApplication::onThisCheckout();
        $settings = ['scheme' => 'tls', 'host' => '127.0.0.1', 'port' => $this->port, ...self::LIMITS, ...self::USER];
        $this->connect($client, $settings + $this->trusting($this->certificates->authority()));
        $app->config(
            'spool',
            "['path' => storage_path('buffer'), 'store' => 'redis', 'buckets' => ['api-events' => ['sink' =>"
                ." 'database', 'table' => 'api_events']]]",
        );
        $app->migrate();
        $this->ok('app:buffer', '3');
        self::assertSame(3, $this->server->ask('XLEN', 'shop_{spool:api-events}:log'));
        $this->ok('spool:health');
        $this->ok('spool:flush');

        // Of a certificate that is not trusted PHP warns, and Laravel throws warnings.
        $this->connect($client, $settings + $this->trusting($this->certificates->anotherAuthority()));
        $this->ok('app:buffer', '2');
        self::assertStringContainsString(
            'certificate verify failed',
            (string) preg_replace('/\s+/', ' ', $app->artisan('spool:health')->out),
        );
        $this->connect($client, $settings + $this->trusting($this->certificates->authority()));
        $this->server->kill();
        $this->ok('app:buffer', '1');
        $this->server->restart();
        $this->ok('spool:flush');
        self::assertSame([['n' => 6]], $app->rows('select count(*) as n from api_events'));
    }

    /** @param ?Closure(): array<string, string|int> $options asked once for each try */
    private function start(?Closure $options = null): void
    {
        $this->server = RedisServer::start(function () use ($options): array {
            $this->port = Ports::free();

            return [
                ...$this->certificates->ofServer($this->port),
                'unixsocket' => 'socket',
                'user' => 'shop on >'.self::USER['password'].' ~shop_* &* +@all',
                ...($options === null ? [] : $options()),
            ];
        });
    }

    /** @param array<string, mixed> $settings */
    private function connect(string $client, array $settings): void
    {
        $redis = var_export(['client' => $client, 'options' => ['prefix' => 'shop_'], 'default' => $settings], true);
        $this->app?->config(
            'database',
            "['default' => 'sqlite', 'connections' => ['sqlite' => ['driver' => 'sqlite', 'database' =>"
                ." database_path('database.sqlite'), 'prefix' => '']], 'redis' => {$redis}]",
        );
    }

    private function ok(string ...$arguments): void
    {
        $outcome = $this->app?->artisan(...$arguments) ?? new Outcome(1, '', '');
        self::assertSame(0, $outcome->exit, implode(' ', $arguments)."\n{$outcome->all()}{$this->app?->log()}");
    }

    /**
     * @param array<string, mixed> $more
     * @return array<string, mixed> as each library takes it, and does not mind the other's
     */
    private function trusting(string $authority, array $more = []): array
    {
        $ssl = ['cafile' => $authority, ...$more];

        return ['context' => ['stream' => $ssl], 'ssl' => $ssl];
    }

    /**
     * @param ?array<string, mixed> $settings
     * @param array<string, mixed> $redis
     */
    private function client(string $client, ?array $settings, array $redis = []): Client
    {
        $client === 'phpredis' ? Installed::phpRedis() : null;
        $this->workbench ??= WorkbenchApplication::boot();
        $config = $this->workbench->app->make(Repository::class);
        $settings = $settings === null
            ? []
            : [
                'default' => array_map(
                    fn (mixed $value): mixed
                        => is_string($value) ? str_replace('PORT', (string) $this->port, $value) : $value,
                    $settings,
                )
                    + ['port' => $this->port, ...self::LIMITS],
            ];
        $config->set(
            'database.redis',
            ['client' => $client, 'options' => ['prefix' => 'shop_'], ...$settings, ...$redis],
        );

        return (new RedisClients($this->workbench->app, $config))->client('default');
    }
}
