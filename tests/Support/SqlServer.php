<?php

declare(strict_types=1);

namespace Headroom\Tests\Support;

use Headroom\Process\ChildProcess;
use Headroom\Process\Ports;
use Headroom\Process\ProcessOptions;
use Headroom\Process\Programs;
use Headroom\Process\TemporaryDirectory;
use Headroom\Process\UnixUser;
use Headroom\Tests\Support\Redis\Patience;
use PDO;
use PDOException;
use Symfony\Component\Process\Process;

/**
 * A MariaDB or MySQL of a test's own, on a free port, which may be killed and started again on its data. It commits as
 * its makers ship it. It ends with the test at the latest.
 *
 * MySQL is `mysqld` of the PATH, unless that is MariaDB's name for itself, or that of a directory to which root can
 * chroot: HEADROOM_MYSQL_ROOT.
 */
final class SqlServer implements KillableServer
{
    private const INIT = <<<'SQL'
        CREATE DATABASE IF NOT EXISTS headroom CHARACTER SET utf8mb4;
        CREATE USER IF NOT EXISTS headroom@'127.0.0.1' IDENTIFIED BY 'headroom';
        GRANT ALL PRIVILEGES ON *.* TO headroom@'127.0.0.1';

        SQL;

    private ?ChildProcess $daemon = null;

    /**
     * @param non-empty-list<string> $command that becomes the server
     * @param string $root what it takes for the root of all files; empty where it is that
     * @param string $home where it writes, below that root
     */
    private function __construct(
        private readonly string $driver,
        private readonly array $command,
        private readonly string $root,
        private readonly string $home,
        private readonly TemporaryDirectory $directory,
        private readonly ?UnixUser $account,
        public readonly int $port,
    ) {}

    public function __destruct()
    {
        $this->stop();
    }

    public static function mariaDb(): self
    {
        $program = Programs::optional('mariadbd');
        $install = Programs::optional('mariadb-install-db');

        if ($program === null || $install === null) {
            MissingServer::named('mariadb', 'MariaDB is not installed: bin/services install mariadb');
        }

        $server = self::outside('mariadb', $program);
        $server->run([
            $install, '--no-defaults', '--skip-test-db', "--datadir={$server->home}/data", ...$server->user(),
        ]);
        $server->launch();

        return $server;
    }

    public static function mySql(): self
    {
        $root = getenv('HEADROOM_MYSQL_ROOT');
        $program = Programs::optional('mysqld');

        $server = match (true) {
            $root !== false && posix_geteuid() === 0 => self::within($root),
            $program !== null && ! self::isMariaDb($program) => self::outside('mysql', $program),
            default => MissingServer::named(
                'mysql',
                'No mysqld is on the PATH that is MySQL, and root has no HEADROOM_MYSQL_ROOT.',
            ),
        };

        $server->run([...$server->command, ...$server->options(), '--initialize-insecure']);
        $server->launch();

        return $server;
    }

    public function connection(): array
    {
        return [
            'driver' => $this->driver,
            'host' => '127.0.0.1',
            'port' => $this->port,
            'database' => 'headroom',
            'username' => 'headroom',
            'password' => 'headroom',
            'prefix' => '',
            'charset' => 'utf8mb4',
        ];
    }

    public function kill(): void
    {
        if ($this->daemon?->isRunning() === true) {
            posix_kill($this->daemon->pid, SIGKILL);
        }

        Patience::until(fn (): bool => $this->daemon?->isRunning() !== true, "{$this->driver} is gone");
        $this->daemon = null;
    }

    public function restart(): void
    {
        $this->kill();
        $this->launch();
    }

    public function stop(): void
    {
        $this->kill();
        $this->run(['rm', '-rf', $this->root.$this->home]);
        $this->directory->remove();
    }

    private function launch(): void
    {
        file_put_contents("{$this->root}{$this->home}/init.sql", self::INIT);
        $command = [...$this->command, ...$this->options(), "--init-file={$this->home}/init.sql"];
        $log = $this->directory->file('log');
        $this->daemon = ChildProcess::start(new ProcessOptions($this->driver, $command, $log, account: $this->account));
        $this->daemon->awaitReady($this->answers(...), 180_000);
    }

    private function answers(): bool
    {
        try {
            new PDO("mysql:host=127.0.0.1;port={$this->port};dbname=headroom", 'headroom', 'headroom');

            return true;
        } catch (PDOException) {
            return false;
        }
    }

    /** @return list<string> */
    private function options(): array
    {
        return [
            '--no-defaults', "--datadir={$this->home}/data", "--tmpdir={$this->home}", '--bind-address=127.0.0.1',
            "--port={$this->port}", "--socket={$this->home}/s", "--pid-file={$this->home}/pid", '--skip-name-resolve',
            ...($this->driver === 'mysql' ? ['--mysqlx=OFF', '--secure-file-priv=NULL'] : []),
            ...$this->user(),
        ];
    }

    /** @return list<string> without it neither runs as root */
    private function user(): array
    {
        return match (true) {
            posix_geteuid() !== 0 => [],
            $this->account === null => ['--user=root'],
            default => ["--user={$this->account->user}"],
        };
    }

    /** @param non-empty-list<string> $command */
    private function run(array $command): void
    {
        (new Process($command, '/', timeout: 120))->mustRun();
    }

    private static function outside(string $driver, string $program): self
    {
        $account = UnixUser::firstOf('mysql');
        $directory = TemporaryDirectory::create('sql-server', $account);

        return new self($driver, [$program], '', $directory->work, $directory, $account, Ports::free());
    }

    /**
     * As root, since the kernel's signal to the child of a dead parent is forgotten where a program changes its user.
     */
    private static function within(string $root): self
    {
        $home = '/tmp/headroom-'.bin2hex(random_bytes(6));
        mkdir($root.$home, 0o700);
        $command = ['chroot', $root, '/usr/sbin/mysqld'];

        return new self('mysql', $command, $root, $home, TemporaryDirectory::create('sql-server'), null, Ports::free());
    }

    private static function isMariaDb(string $program): bool
    {
        return str_contains((new Process([$program, '--version']))->mustRun()->getOutput(), 'MariaDB');
    }
}
