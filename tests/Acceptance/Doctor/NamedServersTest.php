<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor;

use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Fpm\FpmPools;
use Headroom\Doctor\Fpm\FpmProbe;
use Headroom\Doctor\Kernel\MachineMemory;
use Headroom\Doctor\Runner\CheckRunner;
use Headroom\Doctor\Status;
use Headroom\Doctor\UnderLoad\DatabaseAddress;
use Headroom\Host\Fpm\Address;
use Headroom\Process\Ports;
use Headroom\Process\Programs;
use Headroom\Tests\Acceptance\Doctor\Fpm\Eventually;
use Headroom\Tests\Acceptance\Doctor\Fpm\Pools;
use Headroom\Tests\Acceptance\Host\Needs;
use Headroom\Tests\Contract\Support\TestDatabase;
use Headroom\Tests\Support\Redis\RedisServer;
use Headroom\Tests\Support\Sentence;
use Headroom\Tests\Support\Snapshot;
use Headroom\Tests\Unit\Doctor\Support\Checks;
use Headroom\Tests\Unit\Doctor\Support\ScriptedServer;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/**
 * Servers that the command line names: `doctor --fpm`, `--redis` and `--database`.
 */
#[Group('snapshot')]
final class NamedServersTest extends TestCase
{
    private const SECRET = 'sEcret-7';

    #[Test]
    public function of_a_pool_on_another_machine_only_its_answers_are_known(): void
    {
        Needs::webStack();
        $port = Ports::free();
        $pools = Pools::start([
            'away' => ['listen' => $port, 'php_admin_value[opcache.enable]' => 0, 'pm.status_path' => '/fpm-status'],
            'mute' => ['pm.status_path' => '/nobody/knows'],
        ]);
        $at = static fn (string $address): array => self::statuses((new FpmProbe)->at([Address::parse($address)], []));

        $tcp = $at("127.0.0.1:{$port}");
        $mute = $at($pools->at('mute')->text());
        // A connection waits: the status page of the pool reports it over TCP.
        $pools->hold(Address::parse("127.0.0.1:{$port}"), 1);
        $silent = (new FpmProbe)->at(
            [Address::parse("127.0.0.1:{$port}")],
            [],
        )->pools[0]->settings->text('pm.status_path');
        $pools->release();
        $pools->stop();

        // O1 was asked of a process of the pool; lines of its files are not made up.
        self::assertSame(Status::Fail, $tcp['O1'][0]);
        self::assertSame(Status::Pass, $tcp['F6'][0]);

        foreach (['F1', 'F4', 'F7', 'F8', 'F9', 'F10', 'F11', 'F13'] as $id) {
            self::assertSame(Status::Unknown, $tcp[$id][0], $id);
            self::assertStringNotContainsString('/proc/0', $tcp[$id][1], $id);
        }

        self::assertSame(Status::Unknown, $mute['F2'][0]);
        self::assertStringContainsString('/fpm-status, /status', $mute['F2'][1]);
        self::assertStringContainsString(' sudo php-fpm -tt 2>&1 | grep status_path ', $mute['F2'][1]);
        self::assertNull($silent);
    }

    #[Test]
    public function of_a_pool_that_does_not_answer_only_the_reason_is_told(): void
    {
        $port = Ports::free();
        $statuses = self::statuses((new FpmProbe)->at([Address::parse("127.0.0.1:{$port}")], []));

        foreach (['F2', 'F6'] as $id) {
            self::assertSame(Status::Unknown, $statuses[$id][0], $id);
            self::assertStringContainsString(" 127.0.0.1:{$port}", $statuses[$id][1], $id);
            self::assertStringEndsWith("ss -ltnp 'sport = :{$port}'", $statuses[$id][1], $id);
        }
    }

    #[Test]
    public function a_pool_that_did_not_answer_at_first_is_asked_again(): void
    {
        Needs::webStack();
        $port = Ports::free();
        $pools = Pools::start(['away' => ['listen' => $port, 'pm.status_path' => '/status']]);
        $pools->hold(Address::parse("127.0.0.1:{$port}"), 1);
        $pool = (new FpmProbe)->at([Address::parse("127.0.0.1:{$port}")], [])->pools[0];
        $pools->release();

        try {
            self::assertNull($pool->settings->text('pm.status_path'));
            Eventually::true(static function () use ($pool): bool {
                try {
                    return $pool->again()->status()->pool === 'away';
                } catch (FactUnavailable) {
                    return false;
                }
            });
        } finally {
            $pools->stop();
        }
    }

    #[Test]
    public function a_pool_that_runs_here_is_the_only_one_that_is_looked_at(): void
    {
        Needs::webStack();
        $pools = Pools::start(['one' => [], 'two' => []]);
        $findings = $this->doctor(['--only=F8', "--fpm={$pools->at('two')->text()}"])['findings'];
        $pools->stop();

        self::assertSame(['pool two'], array_column($findings, 'subject'));
        self::assertSame(['warn'], array_column($findings, 'status'));
    }

    #[Test, Group('day-1')]
    public function a_redis_is_asked_with_a_password_that_is_never_shown(): void
    {
        $redis = RedisServer::start([
            'requirepass' => self::SECRET,
            'latency-monitor-threshold' => 0,
            'maxmemory' => '64mb',
            'maxmemory-policy' => 'allkeys-lru',
        ]);
        $place = "tcp://127.0.0.1:{$redis->port}";

        foreach ([
            [["--redis=127.0.0.1:{$redis->port}"], ['REDISCLI_AUTH' => self::SECRET]],
            [['--redis=redis://:'.self::SECRET."@127.0.0.1:{$redis->port}"], []],
            [['--redis=redis://default:'.self::SECRET."@127.0.0.1:{$redis->port}/0"], []],
        ] as [$options, $env]) {
            $findings = $this->doctor(['--only=R7,R8', ...$options], $env)['findings'];
            self::assertEqualsCanonicalizing(
                ["R7 warn {$place}", "R8 skipped {$place}"],
                array_map(
                    static fn (array $finding): string => "{$finding['id']} {$finding['status']} {$finding['subject']}",
                    $findings,
                ),
            );
        }

        foreach ([
            [['--redis=redis://:wrong'.self::SECRET."@127.0.0.1:{$redis->port}"], []],
            [["--redis=127.0.0.1:{$redis->port}"], ['REDISCLI_AUTH' => 'wrong'.self::SECRET]],
        ] as [$options, $env]) {
            self::assertSame('unknown', $this->doctor(['--only=R7', ...$options], $env)['findings'][0]['status']);
        }
    }

    #[Test, Group('day-3')]
    #[DataProviderExternal(TestDatabase::class, 'servers')]
    public function an_sql_server_is_asked_with_a_password_of_the_environment_or_the_url(TestDatabase $database): void
    {
        $server = $database->server();
        [$scheme, $variable] = $database->isOfMysql() ? ['mysql', 'MYSQL_PWD'] : ['pgsql', 'PGPASSWORD'];
        $place = "{$server['host']}:{$server['port']}/{$server['database']}";

        foreach ([
            [["--database={$scheme}://{$server['username']}@{$place}"], [$variable => $server['password']]],
            [["--database={$scheme}://{$server['username']}:{$server['password']}@{$place}"], []],
        ] as [$options, $env]) {
            $statuses = array_column(
                // Not D1, which also depends on each PHP-FPM of this machine.
                $this->doctor(['--only=D5,D8,L10', ...$options], $env)['findings'],
                'status',
                'id',
            );
            ksort($statuses);
            self::assertSame(
                ['D5' => 'pass', 'L10' => 'skipped'],
                array_diff_key($statuses, ['D8' => 0]),
            );
            self::assertContains($statuses['D8'], ['pass', 'warn']);
        }

        $refused = $this->doctor([
            '--only=D5', "--database={$scheme}://{$server['username']}:".self::SECRET."@{$place}",
        ])['findings'][0];
        self::assertSame('unknown', $refused['status']);
        self::assertStringStartsWith("{$scheme}://{$server['host']}:{$server['port']} ", $refused['message']);
    }

    /** @return iterable<string, array{string, string}> */
    public static function ipv6(): iterable
    {
        yield 'MariaDB' => ['mysql', "mysql -h '::1' -P 1 -u 'me' -p -e 'select version()'"];
        yield 'PostgreSQL' => ['pgsql', "psql -h '::1' -p 1 -U 'me' -c 'select version()'"];
    }

    #[Test]
    #[DataProvider('ipv6')]
    public function a_client_takes_an_address_of_ipv6_without_brackets(string $scheme, string $command): void
    {
        try {
            DatabaseAddress::parse("{$scheme}://me@[::1]:1/x", static fn (): string => '')?->facts();
            self::fail('No process listens there.');
        } catch (FactUnavailable $e) {
            self::assertStringStartsWith("{$scheme}://[::1]:1 ", $e->getMessage());
            self::assertSame($command, $e->command);
        }
    }

    /** @return iterable<string, array{string, list<string>}> the option, and the names in the message */
    public static function badAddresses(): iterable
    {
        yield 'no pool' => ['--fpm=somewhere', ['--fpm', "'somewhere'"]];
        yield 'no port of a pool' => ['--fpm=127.0.0.1:70000', ['--fpm', "'127.0.0.1:70000'"]];
        yield 'no port of a Redis' => ['--redis=127.0.0.1:0', ['--redis', "'127.0.0.1:0'", 'host:port']];
        yield 'another protocol' => ['--redis=http://127.0.0.1', ['--redis', "'http://127.0.0.1'"]];
        yield 'a password that is not encoded' => [
            '--redis=redis://me:'.self::SECRET.'/@host', ['--redis', "'...@host'"],
        ];
        yield 'no URL' => ['--database=localhost', ['--database', "'localhost'", 'mysql://user@host:port/database']];
        yield 'no port of an SQL server' => [
            '--database=pgsql://me@127.0.0.1:0/x', ['--database', "'...@127.0.0.1:0/x'"],
        ];
        yield 'an unknown SQL server' => [
            '--database=oracle://me:'.self::SECRET.'@host/x', ['--database', "'...@host/x'"],
        ];
        yield 'words for the driver' => [
            '--database=mysql://me@host/x;unix_socket=y', ['--database', 'mysql://user@host:port/database'],
        ];
    }

    /** @param list<string> $named */
    #[Test, Group('day-2')]
    #[DataProvider('badAddresses')]
    public function an_address_that_is_none_is_wrong_usage(string $option, array $named): void
    {
        $process = self::process([$option]);
        $process->run();

        self::assertSame(2, $process->getExitCode());
        Sentence::assertNames($named, $process->getErrorOutput());
        Snapshot::assertPrinted(
            'doctor options',
            "{$this->dataName()}",
            (string) preg_replace('/\s+/', ' ', $process->getErrorOutput()),
        );
        self::assertStringNotContainsString(self::SECRET, $process->getOutput().$process->getErrorOutput());
    }

    #[Test]
    public function an_sql_server_that_takes_the_connection_and_says_nothing_is_not_waited_for(): void
    {
        $usual = ini_get('mysqlnd.net_read_timeout');
        $server = ScriptedServer::silent();

        try {
            $address = DatabaseAddress::parse(
                "mysql://somebody@127.0.0.1:{$server->port}",
                static fn (): string => self::SECRET,
            );
            self::assertNotNull($address);
            $address->facts();
            self::fail('No server answered.');
        } catch (FactUnavailable $e) {
            self::assertTrue($server->isLeft());
            self::assertStringContainsString("mysql://127.0.0.1:{$server->port} ", $e->getMessage());
            self::assertStringNotContainsString(self::SECRET, $e->getMessage().$e->command);
        } finally {
            $server->stop();
        }

        // It is the application's patience too, where the doctor runs in one.
        self::assertSame($usual, ini_get('mysqlnd.net_read_timeout'));
    }

    #[Test]
    public function a_server_that_is_not_there_is_unknown(): void
    {
        foreach ([
            '--fpm=/nowhere/fpm.sock' => ['O1', '/nowhere/fpm.sock'],
            '--redis=127.0.0.1:1' => ['R7', 'tcp://127.0.0.1:1 '],
            '--database=mysql://me@127.0.0.1:1/x' => ['D1', 'mysql://127.0.0.1:1 '],
        ] as $option => [$id, $message]) {
            $finding = $this->doctor(["--only={$id}", $option])['findings'][0];
            self::assertSame('unknown', $finding['status']);
            self::assertStringContainsString($message, $finding['message']);
        }
    }

    #[Test]
    public function the_command_says_unknown_of_an_sql_server_that_says_nothing(): void
    {
        $silent = stream_socket_server('tcp://127.0.0.1:0');
        self::assertIsResource($silent);
        $address = (string) stream_socket_get_name($silent, false);
        $finding = $this->doctor(['--only=D1', "--database=mysql://me@{$address}/x"])['findings'][0];
        fclose($silent);
        self::assertSame('unknown', $finding['status']);
        self::assertStringContainsString("mysql://{$address} ", $finding['message']);
    }

    /**
     * @param list<string> $options
     * @param array<string, string> $env
     * @return array{
     *     counts: array<string, int>,
     *     findings: non-empty-list<array{id: string, status: string, subject: string, message: string}>,
     * }
     */
    private function doctor(array $options, array $env = []): array
    {
        $process = self::process(['--json', '--fail-on=never', ...$options], $env);
        $process->run();
        self::assertSame(0, $process->getExitCode(), $process->getErrorOutput());
        self::assertStringNotContainsString(self::SECRET, $process->getOutput().$process->getErrorOutput());

        /**
         * @var array{
         *     counts: array<string, int>,
         *     findings: non-empty-list<array{id: string, status: string, subject: string, message: string}>,
         * } $read
         */
        $read = json_decode($process->getOutput(), true, flags: JSON_THROW_ON_ERROR);
        self::assertSame(0, $read['counts']['crashed'], $process->getOutput());

        return $read;
    }

    /**
     * @param list<string> $options
     * @param array<string, string> $env
     */
    private static function process(array $options, array $env = []): Process
    {
        return new Process(
            [Programs::php(), dirname(__DIR__, 3).'/bin/headroom', 'doctor', ...$options],
            env: $env + ['REDISCLI_AUTH' => false, 'MYSQL_PWD' => false, 'PGPASSWORD' => false],
            timeout: 60,
        );
    }

    /** @return array<string, array{Status, string}> what each check says, with the commands of its fix */
    private static function statuses(FpmPools $pools): array
    {
        $statuses = [];

        foreach ((new CheckRunner(Checks::ofLayers('FO')))->run(new Facts([
            FpmPools::class => static fn (): FpmPools => $pools,
            MachineMemory::class => static fn (): MachineMemory => MachineMemory::read(),
        ]))->results as $verdict) {
            $statuses[$verdict->check->id] = [
                $verdict->finding->status,
                $verdict->finding->message.' '.implode(' ', $verdict->finding->fix->commands ?? []),
            ];
        }

        return $statuses;
    }
}
