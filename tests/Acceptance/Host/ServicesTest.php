<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Host;

use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Support\MissingServer;
use Headroom\Tests\Support\Sample;
use PHPUnit\Framework\AssertionFailedError;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\SkippedWithMessageException;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;
use Throwable;

#[Group('proof')]
final class ServicesTest extends TestCase
{
    #[Test]
    #[DataProvider('sampledServers')]
    public function a_command_gets_a_server_of_its_own_and_its_code_is_handed_on(
        string $name,
        string $program,
        string $package,
        string $variables,
    ): void {
        match ($name) {
            'pgsql' => self::needsPostgres(),
            'mysql' => self::needsMysql(),
            'redis', 'redis-cluster' => Needs::redis(),
            default => Needs::program($program, $package, $name),
        };
        $process = self::services(['run', $name, '--', 'sh', '-c', "echo \"{$variables}\"; exit 7"]);
        $process->run();
        $output = trim($process->getOutput());

        self::assertSame(7, $process->getExitCode(), $process->getErrorOutput());
        self::assertMatchesRegularExpression('/^127\.0\.0\.1 (\d+)/', $output);
        $port = (int) explode(' ', $output)[1];
        self::assertFalse(
            @stream_socket_client("tcp://127.0.0.1:{$port}", timeout: 1.0),
            "{$name} still listens on {$port}.",
        );
    }

    /** @return iterable<string, array{string, string, string, string}> */
    public static function servers(): iterable
    {
        yield 'mariadb' => ['mariadb', 'mariadbd', 'mariadb-server', '$HEADROOM_MARIADB_HOST $HEADROOM_MARIADB_PORT'];
        yield 'mysql' => ['mysql', 'mysqld', '', '$HEADROOM_MYSQL_HOST $HEADROOM_MYSQL_PORT'];
        yield 'pgsql' => ['pgsql', 'postgres', 'postgresql', '$HEADROOM_PGSQL_HOST $HEADROOM_PGSQL_PORT'];
        yield 'redis' => ['redis', 'redis-server', 'redis-server', '$HEADROOM_REDIS_HOST $HEADROOM_REDIS_PORT'];
        yield 'redis-cluster' => [
            'redis-cluster',
            'redis-server',
            'redis-server',
            '$HEADROOM_REDIS_CLUSTER_HOST $HEADROOM_REDIS_CLUSTER_PORT',
        ];
        yield 'beanstalkd' => [
            'beanstalkd', 'beanstalkd', 'beanstalkd', '$HEADROOM_BEANSTALKD_HOST $HEADROOM_BEANSTALKD_PORT',
        ];
        yield 'clickhouse' => [
            'clickhouse',
            'clickhouse-server',
            'clickhouse-server',
            '$(echo $HEADROOM_CLICKHOUSE_URL | tr -d / | cut -d: -f2,3 | tr : " ")',
        ];
    }

    /** @return array<string, array{string, string, string, string}> */
    public static function sampledServers(): array
    {
        return Sample::of(self::servers(), 2);
    }

    /**
     * Lanes that start servers at the same moment see the same ports free; one of them then asked the other's
     * server whether it was ready.
     */
    #[Test]
    public function a_port_that_another_start_has_claimed_is_not_taken(): void
    {
        Needs::redis();
        $copy = self::copy();

        try {
            (new Process(
                [
                    'sh',
                    '-c',
                    'mkdir -p build/services/ports && cd build/services/ports && seq 20000 30799 | xargs touch',
                ],
                $copy->path,
            ))->mustRun();
            $process = new Process(
                ["{$copy->path}/bin/services", 'run', 'redis', '--', 'printenv', 'HEADROOM_REDIS_PORT'],
                timeout: 120,
            );

            self::assertSame(0, $process->run(), $process->getErrorOutput());
            self::assertGreaterThan(30_799, (int) $process->getOutput());
        } finally {
            $copy->remove();
        }
    }

    #[Test]
    public function a_command_line_it_does_not_know_is_explained(): void
    {
        $process = self::services(['start', 'oracle']);
        $process->run();

        self::assertSame(2, $process->getExitCode());
        self::assertStringContainsString('unknown: oracle', $process->getErrorOutput());
    }

    /** @param list<string> $names */
    #[Test]
    #[DataProvider('servers_with_a_configuration')]
    public function a_directory_may_have_blanks_and_quotes_in_its_name(
        array $names,
        string $command,
        string $expected,
    ): void {
        $names === ['redis-cluster'] ? Needs::redis() : Needs::webStack();
        $directory = TemporaryDirectory::create('services');
        chmod($directory->path, 0o755);

        try {
            mkdir("{$directory->path}/it \"is\" \\one", 0o755);
            file_put_contents("{$directory->path}/it \"is\" \\one/index.php", '<?php echo "served";');
            $process = new Process(
                [dirname(__DIR__, 3).'/bin/services', 'run', ...$names, '--', 'sh', '-c', $command],
                env: [
                    'TMPDIR' => "{$directory->path}/it \"is\" \\one",
                    'HEADROOM_DOCUMENT_ROOT' => "{$directory->path}/it \"is\" \\one",
                ],
                timeout: 120,
            );

            self::assertSame(0, $process->run(), $process->getErrorOutput());
            self::assertStringContainsString($expected, $process->getOutput());
        } finally {
            $directory->remove();
        }
    }

    /** @return iterable<string, array{list<string>, string, string}> */
    public static function servers_with_a_configuration(): iterable
    {
        yield 'redis-cluster' => [['redis-cluster'], 'ls "$TMPDIR"/headroom-redis-cluster.*', 'log'];
        yield 'nginx and FPM' => [
            ['nginx', 'fpm'], "php -r 'echo file_get_contents(getenv(\"HEADROOM_URL\"));'", 'served',
        ];
    }

    #[Test]
    public function a_program_that_this_system_has_no_package_of_is_skipped_where_another_fails(): void
    {
        $before = ['CI' => getenv('CI'), 'HEADROOM_WITHOUT' => getenv('HEADROOM_WITHOUT')];
        putenv('CI=1');
        putenv('HEADROOM_WITHOUT=one other');

        try {
            self::assertSame(
                SkippedWithMessageException::class,
                self::thrownBy(static fn () => Needs::program('headroom-none', 'none', 'other')),
            );
            self::assertSame(
                AssertionFailedError::class,
                self::thrownBy(static fn () => Needs::program('headroom-none', 'none')),
            );
        } finally {
            foreach ($before as $name => $value) {
                putenv($value === false ? $name : "{$name}={$value}");
            }
        }
    }

    /** @param callable(): void $needed */
    private static function thrownBy(callable $needed): ?string
    {
        try {
            $needed();
        } catch (Throwable $e) {
            return $e::class;
        }

        return null;
    }

    private static function copy(): TemporaryDirectory
    {
        $copy = TemporaryDirectory::create('services');
        (new Process(
            [
                'sh',
                '-c',
                'mkdir bin dev && cp "$1/bin/services" bin && cp -R "$1/dev/services" "$1/dev/roots.bash"'
                    .' "$1/dev/make-root.sh" dev',
                'sh',
                dirname(__DIR__, 3),
            ],
            $copy->path,
        ))->mustRun();

        return $copy;
    }

    private static function needsMysql(): void
    {
        $process = self::services(['missing', 'mysql']);
        $process->mustRun();
        $process->getOutput() === '' || MissingServer::named('mysql', 'MySQL is not there: bin/services install mysql');
    }

    /** @param list<string> $arguments */
    private static function services(array $arguments): Process
    {
        return new Process([dirname(__DIR__, 3).'/bin/services', ...$arguments], timeout: 120);
    }

    private static function needsPostgres(): void
    {
        if (glob('/usr/lib/postgresql/*/bin/postgres') === []) {
            Needs::program('postgres', 'postgresql', 'pgsql');
        }
    }
}
