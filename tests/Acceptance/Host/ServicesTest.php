<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Host;

use Headroom\Host\TemporaryDirectory;
use Headroom\Tests\Support\MissingServer;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

final class ServicesTest extends TestCase
{
    #[Test]
    #[DataProvider('servers')]
    public function a_command_gets_a_server_of_its_own_and_its_code_is_handed_on(string $name, string $program, string $package, string $variables): void
    {
        match ($name) {
            'pgsql' => self::needsPostgres(),
            'mysql' => self::needsMysql(),
            'redis', 'redis-cluster' => Needs::redis(),
            default => Needs::program($program, $package),
        };
        $process = self::services(['run', $name, '--', 'sh', '-c', "echo \"{$variables}\"; exit 7"]);
        $process->run();
        $output = trim($process->getOutput());

        self::assertSame(7, $process->getExitCode(), $process->getErrorOutput());
        self::assertMatchesRegularExpression('/^127\.0\.0\.1 (\d+)/', $output);
        $port = (int) explode(' ', $output)[1];
        self::assertFalse(@stream_socket_client("tcp://127.0.0.1:{$port}", timeout: 1.0), "{$name} still listens on {$port}.");
    }

    /** @return iterable<string, array{string, string, string, string}> */
    public static function servers(): iterable
    {
        yield 'mariadb' => ['mariadb', 'mariadbd', 'mariadb-server', '$HEADROOM_MARIADB_HOST $HEADROOM_MARIADB_PORT'];
        yield 'mysql' => ['mysql', 'mysqld', '', '$HEADROOM_MYSQL_HOST $HEADROOM_MYSQL_PORT'];
        yield 'pgsql' => ['pgsql', 'postgres', 'postgresql', '$HEADROOM_PGSQL_HOST $HEADROOM_PGSQL_PORT'];
        yield 'redis' => ['redis', 'redis-server', 'redis-server', '$HEADROOM_REDIS_HOST $HEADROOM_REDIS_PORT'];
        yield 'redis-cluster' => ['redis-cluster', 'redis-server', 'redis-server', '$HEADROOM_REDIS_CLUSTER_HOST $HEADROOM_REDIS_CLUSTER_PORT'];
        yield 'beanstalkd' => ['beanstalkd', 'beanstalkd', 'beanstalkd', '$HEADROOM_BEANSTALKD_HOST $HEADROOM_BEANSTALKD_PORT'];
        yield 'clickhouse' => ['clickhouse', 'clickhouse-server', 'clickhouse-server', '$(echo $HEADROOM_CLICKHOUSE_URL | tr -d / | cut -d: -f2,3 | tr : " ")'];
    }

    /** Lanes that start servers at the same moment see the same ports free; one of them then asked the other's server whether it was ready. */
    #[Test]
    public function a_port_that_another_start_has_claimed_is_not_taken(): void
    {
        Needs::redis();
        $copy = self::copy();

        try {
            (new Process(['sh', '-c', 'mkdir -p build/services/ports && cd build/services/ports && seq 20000 30799 | xargs touch'], $copy->path))->mustRun();
            $process = new Process(["{$copy->path}/bin/services", 'run', 'redis', '--', 'printenv', 'HEADROOM_REDIS_PORT'], timeout: 120);

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

    /**
     * @param array<string, string> $candidates the version that the package sources have, by package
     * @param list<string> $without
     * @param list<string> $installed
     */
    #[Test]
    #[DataProvider('package_sources')]
    public function what_the_package_sources_lack_is_left_out_by_name_and_the_rest_is_installed(array $candidates, int $code, array $without, array $installed): void
    {
        posix_geteuid() === 0 || self::markTestSkipped('Only root installs packages.');
        $copy = self::copy();
        $aptCache = "#!/bin/sh\ntest $# -eq 1 && echo ' 500 a source Packages'\ncase \"\$2\" in\n";

        foreach ($candidates as $package => $version) {
            $aptCache .= "{$package}) echo '  Candidate: {$version}' ;;\n";
        }

        mkdir("{$copy->path}/apt");
        file_put_contents("{$copy->path}/apt/apt-cache", "{$aptCache}esac\n");
        // An installation that succeeds: from then on the programs are there.
        file_put_contents("{$copy->path}/apt/apt-get", <<<SH
            #!/bin/sh
            for word; do case "\$word" in redis-server) echo "\$word" >>'{$copy->path}/installed'; cp /bin/true "{$copy->path}/apt/fake-\$word" ;; esac; done
            SH);
        chmod("{$copy->path}/apt/apt-cache", 0o755);
        chmod("{$copy->path}/apt/apt-get", 0o755);

        try {
            $process = new Process(["{$copy->path}/bin/services", 'install', 'redis', 'redis-cluster'], env: [
                'PATH' => "{$copy->path}/apt:".getenv('PATH'),
                'HEADROOM_REDIS_SERVER' => 'fake-redis-server',
            ], timeout: 60);
            $process->run();

            self::assertSame($code, $process->getExitCode(), $process->getErrorOutput());
            self::assertSame($without, self::lines("{$copy->path}/build/services/without"));
            self::assertSame($installed, self::lines("{$copy->path}/installed"));
        } finally {
            $copy->remove();
        }
    }

    /** @return iterable<string, array{array<string, string>, int, list<string>, list<string>}> */
    public static function package_sources(): iterable
    {
        yield 'all are there' => [['redis-server' => '7.0'], 0, [], ['redis-server']];
        yield 'one has no candidate' => [['redis-server' => '(none)'], 4, ['redis', 'redis-cluster'], []];
        yield 'one is not known' => [[], 4, ['redis', 'redis-cluster'], []];
    }

    /** @return list<string> sorted */
    private static function lines(string $file): array
    {
        $lines = is_file($file) ? file($file, FILE_IGNORE_NEW_LINES | FILE_SKIP_EMPTY_LINES) : [];
        $lines = $lines === false ? [] : $lines;
        sort($lines);

        return $lines;
    }

    private static function copy(): TemporaryDirectory
    {
        $copy = TemporaryDirectory::create('services');
        (new Process(['sh', '-c', 'mkdir bin tools && cp "$1/bin/services" bin && cp -R "$1/tools/services" "$1/tools/roots.bash" tools', 'sh', dirname(__DIR__, 3)], $copy->path))->mustRun();

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
            Needs::program('postgres', 'postgresql');
        }
    }
}
