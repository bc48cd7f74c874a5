<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Host;

use Closure;
use Headroom\Bench\Servers\BeanstalkdServer;
use Headroom\Bench\Servers\MariaDbServer;
use Headroom\Bench\Servers\PostgresServer;
use Headroom\Bench\Servers\ReadinessProbe;
use Headroom\Bench\Servers\RedisServer;
use Headroom\Bench\Servers\ServerProcess;
use Headroom\Core\SystemClock;
use Headroom\Process\Ports;
use Headroom\Process\Proc;
use Headroom\Process\ProcessOptions;
use Headroom\Process\Signal;
use Headroom\Process\TemporaryDirectory;
use Headroom\Process\UnableToFindProgram;
use Headroom\Process\UnableToStart;
use Headroom\Tests\Support\Sample;
use Headroom\Tests\Support\Sentence;
use PDO;
use PDOException;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Redis;

#[RequiresPhpExtension('posix')]
final class ServersTest extends TestCase
{
    #[Test]
    #[RequiresPhpExtension('redis')]
    public function redis_answers_and_keeps_no_appendonly_file(): void
    {
        Needs::redis();
        $server = RedisServer::start();
        $redis = new Redis;
        $redis->connect('127.0.0.1', $server->port);
        $redis->set('key', 'value');

        self::assertSame('value', $redis->get('key'));
        self::assertSame(
            [['appendonly' => 'no'], ['bind' => '127.0.0.1']],
            [$redis->config('GET', 'appendonly'), $redis->config('GET', 'bind')],
        );
        self::assertNotSame(['save' => ''], $redis->config('GET', 'save'));
        self::assertGone($server->pid, $server->port, $server->stop(...));
    }

    #[Test]
    public function beanstalkd_answers_and_keeps_no_binlog(): void
    {
        Needs::program('beanstalkd', 'beanstalkd');
        $server = BeanstalkdServer::start();
        $socket = stream_socket_client("tcp://127.0.0.1:{$server->port}");
        self::assertIsResource($socket);
        fwrite($socket, "put 0 0 60 5\r\nhello\r\n");

        self::assertSame("INSERTED 1\r\n", fgets($socket));
        self::assertStringNotContainsString("\0-b\0", (string) file_get_contents("/proc/{$server->pid}/cmdline"));
        fclose($socket);
        self::assertGone($server->pid, $server->port, $server->stop(...));
    }

    #[Test, Group('day-2')]
    #[RequiresPhpExtension('pdo_mysql')]
    public function mariadb_answers_and_flushes_at_each_commit(): void
    {
        Needs::program('mariadbd', 'mariadb-server');
        $server = MariaDbServer::start();
        $pdo = new PDO(
            "mysql:host=127.0.0.1;port={$server->port};dbname={$server->database}",
            $server->username,
            $server->password,
        );
        $pdo->exec('CREATE TABLE jobs (id BIGINT PRIMARY KEY) ENGINE=InnoDB');
        $pdo->exec('INSERT INTO jobs VALUES (7)');

        self::assertSame(
            [7, 1, 300, '127.0.0.1', 'utf8mb4'],
            self::row(
                $pdo,
                'SELECT id, @@innodb_flush_log_at_trx_commit, @@max_connections, @@bind_address,'
                    .' @@character_set_database FROM jobs',
            ),
        );
        self::assertRefused("mysql:host=127.0.0.1;port={$server->port}", 'root');
        self::assertGone($server->pid, $server->port, $server->stop(...));
    }

    #[Test, Group('day-1')]
    #[RequiresPhpExtension('pdo_pgsql')]
    public function postgresql_answers_and_flushes_at_each_commit(): void
    {
        self::needsPostgres();
        $server = PostgresServer::start();
        $dsn = "pgsql:host=127.0.0.1;port={$server->port};dbname={$server->database}";
        $pdo = new PDO($dsn, $server->username, $server->password);
        $pdo->exec('CREATE TABLE jobs (id bigint PRIMARY KEY)');
        $pdo->exec('INSERT INTO jobs VALUES (7)');

        self::assertSame(
            [7, 'on', 'on', '300', '127.0.0.1'],
            self::row(
                $pdo,
                "SELECT id, current_setting('synchronous_commit'), current_setting('fsync'),"
                    ." current_setting('max_connections'), current_setting('listen_addresses') FROM jobs",
            ),
        );
        self::assertRefused($dsn, $server->username);
        self::assertGone($server->pid, $server->port, $server->stop(...));
    }

    /** @param class-string<RedisServer|BeanstalkdServer|MariaDbServer|PostgresServer> $server */
    #[Test, Group('day-2')]
    #[DataProvider('sampledServers')]
    public function none_outlives_a_starter_that_is_killed(string $server, Closure $needs): void
    {
        Needs::program('setpriv', 'util-linux');
        $needs();
        $pid = ServerScript::pid($server, 'posix_kill(getmypid(), 9);', 1);

        for ($try = 0; $try < 1500 && (new Proc)->isAlive($pid); $try++) {
            usleep(20_000);
        }

        $outlived = (new Proc)->isAlive($pid) && posix_kill($pid, Signal::Kill->value);
        self::assertFalse($outlived);
    }

    /** @param class-string<RedisServer|BeanstalkdServer|MariaDbServer|PostgresServer> $server */
    #[Test, Group('day-3')]
    #[DataProvider('sampledServers')]
    public function none_outlives_a_starter_that_fails_and_neither_does_its_directory(
        string $server,
        Closure $needs,
    ): void {
        $needs();

        self::assertFalse((new Proc)->isAlive(ServerScript::pid(
            $server,
            'ini_set("memory_limit", "32M"); str_repeat("x", 100_000_000);',
            0,
        )));
    }

    /**
     * @return iterable<string, array{
     *     class-string<RedisServer|BeanstalkdServer|MariaDbServer|PostgresServer>, Closure(): void,
     * }>
     */
    public static function servers(): iterable
    {
        yield 'redis' => [RedisServer::class, static fn () => Needs::redis()];
        yield 'beanstalkd' => [BeanstalkdServer::class, static fn () => Needs::program('beanstalkd', 'beanstalkd')];
        yield 'mariadb' => [MariaDbServer::class, static fn () => Needs::program('mariadbd', 'mariadb-server')];
        yield 'postgresql' => [PostgresServer::class, self::needsPostgres(...)];
    }

    /**
     * @return array<string, array{
     *     class-string<RedisServer|BeanstalkdServer|MariaDbServer|PostgresServer>, Closure(): void,
     * }>
     */
    public static function sampledServers(): array
    {
        return Sample::of(self::servers(), 1);
    }

    #[Test]
    public function a_port_that_was_taken_meanwhile_is_given_up_for_another(): void
    {
        Needs::program('beanstalkd', 'beanstalkd');
        $other = BeanstalkdServer::start();
        $directory = TemporaryDirectory::create('beanstalkd');
        $ports = [];
        $launch = static function (int $port) use (&$ports, $other, $directory): ProcessOptions {
            $ports[] = $port;

            return new ProcessOptions(
                'beanstalkd',
                ['beanstalkd', '-l', '127.0.0.1', '-p', (string) ($ports === [$port] ? $other->port : $port)],
                $directory->file('log'),
            );
        };
        $server = ServerProcess::start(
            $directory,
            new SystemClock,
            $launch,
            static fn (int $port, int $pid): bool => ReadinessProbe::line($port, 'stats', "\npid: {$pid}\n"),
        );

        self::assertCount(2, $ports);
        self::assertSame($ports[1], $server->port);
        self::assertFalse(ReadinessProbe::line($other->port, 'stats', "\npid: {$server->pid}\n"));
        $server->stop();
        $other->stop();
    }

    #[Test]
    public function it_ends_with_its_object(): void
    {
        Needs::program('beanstalkd', 'beanstalkd');
        $server = BeanstalkdServer::start();
        self::assertGone($server->pid, $server->port, static function () use (&$server): void {
            $server = null;
        });
    }

    /** @param class-string<RedisServer|BeanstalkdServer|MariaDbServer> $server */
    #[Test]
    #[DataProvider('missing_programs')]
    public function a_program_that_is_not_installed_is_named_with_its_package(
        string $server,
        UnableToFindProgram $refusal,
    ): void {
        Sentence::assertIn(
            $refusal::class.": {$refusal->getMessage()}",
            ServerScript::refusal($server, ['PATH' => '/nowhere']),
        );
    }

    /**
     * @return iterable<string, array{class-string<RedisServer|BeanstalkdServer|MariaDbServer>, UnableToFindProgram}>
     */
    public static function missing_programs(): iterable
    {
        yield 'redis' => [
            RedisServer::class, UnableToFindProgram::program(['redis-server', 'valkey-server'], 'redis-server'),
        ];
        yield 'beanstalkd' => [BeanstalkdServer::class, UnableToFindProgram::program(['beanstalkd'], 'beanstalkd')];
        yield 'mariadb' => [MariaDbServer::class, UnableToFindProgram::program(['mariadb*'], 'mariadb-server')];
    }

    #[Test]
    public function a_temporary_folder_that_the_servers_user_may_not_enter_is_named(): void
    {
        posix_geteuid() === 0 || self::markTestSkipped('Only root starts servers as another user.');
        Needs::program('mariadbd', 'mariadb-server');

        $refusal = UnableToStart::directory('*/headroom-starter-*', '*mysql*');
        Sentence::assertIn(
            $refusal::class.": {$refusal->getMessage()}",
            ServerScript::refusal(MariaDbServer::class, [], 0o700),
        );
    }

    /** @param Closure(): void $end */
    private static function assertGone(int $pid, int $port, Closure $end): void
    {
        $directory = dirname((string) readlink("/proc/{$pid}/fd/1"));
        self::assertStringContainsString('/headroom-', $directory);
        self::assertDirectoryExists($directory);
        self::assertTrue(Ports::accepts($port));
        $family = [$pid, ...array_keys((new Proc)->descendants($pid))];

        $end();

        self::assertSame([], array_filter($family, (new Proc)->isAlive(...)));
        self::assertFalse(Ports::accepts($port));
        self::assertDirectoryDoesNotExist($directory);
    }

    private static function assertRefused(string $dsn, string $username): void
    {
        try {
            new PDO($dsn, $username, '');
            self::fail("{$username} got in without a password.");
        } catch (PDOException $e) {
            self::assertMatchesRegularExpression('/Access denied|no password supplied/', $e->getMessage());
        }
    }

    /** @return array<mixed> */
    private static function row(PDO $pdo, string $sql): array
    {
        $rows = $pdo->query($sql);
        $row = $rows === false ? false : $rows->fetch(PDO::FETCH_NUM);

        return is_array($row) ? $row : [];
    }

    private static function needsPostgres(): void
    {
        if (glob('/usr/lib/postgresql/*/bin/postgres') === []) {
            Needs::program('postgres', 'postgresql');
        }
    }
}
