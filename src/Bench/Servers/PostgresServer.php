<?php

declare(strict_types=1);

namespace Headroom\Bench\Servers;

use Headroom\Core\Clock;
use Headroom\Core\SystemClock;
use Headroom\Process\ProcessOptions;
use Headroom\Process\Programs;
use Headroom\Process\Signal;
use Headroom\Process\Stoppable;
use Headroom\Process\TemporaryDirectory;
use Headroom\Process\UnableToFindProgram;
use Headroom\Process\UnableToStart;
use Headroom\Process\UnixUser;

/**
 * A PostgreSQL with its default durability: fsync and synchronous_commit are on. Only max_connections differs, with
 * 300.
 *
 * @internal
 */
final class PostgresServer implements Stoppable
{
    private const PACKAGE = 'postgresql';

    // Debian installs each version's programs in a directory of its own.
    private const FOLDERS = '/usr/lib/postgresql/*/bin';

    private function __construct(
        private readonly ServerProcess $instance,
        public readonly int $port,
        public readonly int $pid,
        public readonly string $database = 'headroom',
        public readonly string $username = 'headroom',
        public readonly string $password = 'headroom',
    ) {}

    /**
     * @throws UnableToFindProgram
     * @throws UnableToStart
     */
    public static function start(Clock $clock = new SystemClock): self
    {
        $server = Programs::required('postgres', self::PACKAGE, self::newestFirst());
        $initdb = self::besides($server);
        extension_loaded('pdo_pgsql')
            || throw UnableToFindProgram::driver('pdo_pgsql', 'php'.PHP_MAJOR_VERSION.'.'.PHP_MINOR_VERSION.'-pgsql');
        $account = UnixUser::firstOf('postgres');
        $directory = ServerProcess::directory('pgsql', $account);
        self::prepare(new DataDirectorySetup($directory, $account, $clock), $directory, $server, $initdb);
        $data = "{$directory->work}/data";
        // On SIGTERM the server waits until its clients disconnect; on SIGINT it does not.
        $launch = static fn (int $port): ProcessOptions => new ProcessOptions(
            'PostgreSQL',
            [$server, '-D', $data, '-p', (string) $port, ...self::options()],
            $directory->file('log'),
            stopSignals: [Signal::Interrupt],
            account: $account,
        );
        $instance = ServerProcess::start(
            $directory,
            $clock,
            $launch,
            static fn (int $port): bool => ReadinessProbe::sql(
                "pgsql:host=127.0.0.1;port={$port};dbname=headroom",
                'SHOW data_directory',
                $data,
            ),
        );

        return new self($instance, $instance->port, $instance->pid);
    }

    public function stop(): void
    {
        $this->instance->stop();
    }

    /** The initdb of the server's version: the program may be a link, and initdb is next to its target. */
    private static function besides(string $server): string
    {
        $initdb = dirname((string) realpath($server)).'/initdb';

        return is_executable($initdb)
            ? $initdb
            : throw UnableToFindProgram::program(['initdb'], self::PACKAGE, [dirname($initdb)]);
    }

    private static function prepare(
        DataDirectorySetup $preparation,
        TemporaryDirectory $directory,
        string $server,
        string $initdb,
    ): void {
        $password = $directory->write('password', "headroom\n");
        $data = "{$directory->work}/data";
        $preparation->run([
            $initdb,
            '--no-sync',
            '-D',
            $data,
            '-U',
            'headroom',
            "--pwfile={$password}",
            '-A',
            'scram-sha-256',
            '-E',
            'UTF8',
            '--locale=C.UTF-8',
        ]);
        $preparation->run([$server, '--single', '-D', $data, 'postgres'], "CREATE DATABASE headroom\n");
    }

    /**
     * @return list<string> without a socket in the file system, because TMPDIR may be longer than a socket path can be
     */
    private static function options(): array
    {
        return ['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories=', '-c', 'max_connections=300'];
    }

    /** @return list<string> */
    private static function newestFirst(): array
    {
        $folders = glob(self::FOLDERS, GLOB_ONLYDIR);
        $folders = $folders === false ? [] : $folders;
        usort($folders, static fn (string $a, string $b): int => strnatcmp($b, $a));

        return $folders;
    }
}
