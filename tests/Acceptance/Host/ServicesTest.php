<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Host;

use Headroom\Host\TemporaryDirectory;
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
        $name === 'pgsql' ? self::needsPostgres() : Needs::program($program, $package);
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
        Needs::program('redis-server', 'redis-server');
        $copy = TemporaryDirectory::create('services');

        try {
            (new Process(['sh', '-c', 'mkdir bin tools build build/services && cp "$1/bin/services" bin && cp -R "$1/tools/services" tools && mkdir build/services/ports && cd build/services/ports && seq 20000 30799 | xargs touch', 'sh', dirname(__DIR__, 3)], $copy->path))->mustRun();
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
