<?php

declare(strict_types=1);

namespace Headroom\Bench\Servers;

use Headroom\Core\Clock;
use Headroom\Core\SystemClock;
use Headroom\Process\ProcessOptions;
use Headroom\Process\Programs;
use Headroom\Process\Stoppable;
use Headroom\Process\TemporaryDirectory;
use Headroom\Process\UnableToFindProgram;
use Headroom\Process\UnableToStart;
use Headroom\Process\UnixUser;

/**
 * A MariaDB with its default durability: InnoDB flushes its log at each commit. Only max_connections differs, with 300.
 *
 * @internal
 */
final class MariaDbServer implements Stoppable
{
    private const PACKAGE = 'mariadb-server';

    // The server runs it before it opens the port, so no client can log in as root, which has no password.
    private const INIT = <<<'SQL'
        CREATE DATABASE IF NOT EXISTS headroom CHARACTER SET utf8mb4;
        CREATE USER IF NOT EXISTS headroom@'127.0.0.1' IDENTIFIED BY 'headroom';
        GRANT ALL PRIVILEGES ON *.* TO headroom@'127.0.0.1';
        DROP USER IF EXISTS root@'localhost', root@'127.0.0.1', root@'::1';

        SQL;

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
        $server = Programs::required('mariadbd', self::PACKAGE);
        $install = Programs::required('mariadb-install-db', self::PACKAGE);
        extension_loaded('pdo_mysql')
            || throw UnableToFindProgram::driver('pdo_mysql', 'php'.PHP_MAJOR_VERSION.'.'.PHP_MINOR_VERSION.'-mysql');
        $account = UnixUser::firstOf('mysql');
        $directory = ServerProcess::directory('mariadb', $account);
        $data = "{$directory->work}/data";
        $where = ['--no-defaults', "--datadir={$data}", "--tmpdir={$directory->work}"];
        (new DataDirectorySetup($directory, $account, $clock))->run([
            $install, ...$where, '--auth-root-authentication-method=normal', '--skip-test-db', '--skip-name-resolve',
        ]);
        $init = $directory->write('init.sql', self::INIT);
        $launch = static fn (int $port): ProcessOptions => new ProcessOptions(
            'MariaDB',
            [$server, ...$where, ...self::options($directory, $port, $init)],
            $directory->file('log'),
            account: $account,
        );
        $instance = ServerProcess::start(
            $directory,
            $clock,
            $launch,
            static fn (int $port): bool
                => ReadinessProbe::sql("mysql:host=127.0.0.1;port={$port};dbname=headroom", 'SELECT @@datadir', $data),
        );

        return new self($instance, $instance->port, $instance->pid);
    }

    public function stop(): void
    {
        $this->instance->stop();
    }

    /** @return list<string> */
    private static function options(TemporaryDirectory $directory, int $port, string $init): array
    {
        return [
            '--bind-address=127.0.0.1', "--port={$port}", "--socket={$directory->work}/s",
            "--pid-file={$directory->work}/pid",
            "--init-file={$init}", '--skip-name-resolve', '--max-connections=300', '--default-storage-engine=InnoDB',
            '--innodb-flush-log-at-trx-commit=1',
        ];
    }
}
