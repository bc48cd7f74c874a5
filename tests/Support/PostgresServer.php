<?php

declare(strict_types=1);

namespace Headroom\Tests\Support;

use Headroom\Process\ChildProcess;
use Headroom\Process\Ports;
use Headroom\Process\Proc;
use Headroom\Process\ProcessOptions;
use Headroom\Process\Signal;
use Headroom\Process\TemporaryDirectory;
use Headroom\Process\UnixUser;
use Headroom\Tests\Support\Redis\Patience;
use PDO;
use PDOException;
use Symfony\Component\Process\ExecutableFinder;
use Symfony\Component\Process\Process;

/**
 * It commits as its makers ship it: fsync and synchronous_commit are on.
 */
final class PostgresServer implements KillableServer
{
    private ?ChildProcess $daemon = null;

    private function __construct(
        private readonly string $program,
        private readonly TemporaryDirectory $directory,
        private readonly ?UnixUser $account,
        private readonly int $port,
    ) {}

    public function __destruct()
    {
        $this->stop();
    }

    public static function start(): self
    {
        // Debian keeps each version's programs by themselves.
        $folders = glob('/usr/lib/postgresql/*/bin', GLOB_ONLYDIR);
        $program = (new ExecutableFinder)->find('postgres', null, $folders === false ? [] : array_reverse($folders))
            ?? MissingServer::named('pgsql', 'PostgreSQL is not installed: bin/services install pgsql');
        $account = UnixUser::firstOf('postgres');
        $server = new self($program, TemporaryDirectory::create('postgres-server', $account), $account, Ports::free());
        $password = $server->directory->write('password', "headroom\n");
        $server->prepare([
            dirname((string) realpath($program)).'/initdb',
            '--no-sync',
            '-D',
            $server->data(),
            '-U',
            'headroom',
            "--pwfile={$password}",
            '-A',
            'scram-sha-256',
            '-E',
            'UTF8',
            '--locale=C.UTF-8',
        ]);
        $server->prepare([$program, '--single', '-D', $server->data(), 'postgres'], "CREATE DATABASE headroom\n");
        $server->launch();

        return $server;
    }

    public function connection(): array
    {
        return [
            'driver' => 'pgsql',
            'host' => '127.0.0.1',
            'port' => $this->port,
            'database' => 'headroom',
            'username' => 'headroom',
            'password' => 'headroom',
            'prefix' => '',
            'charset' => 'utf8',
        ];
    }

    public function restart(): void
    {
        $this->kill();
        $this->launch();
    }

    public function stop(): void
    {
        $this->kill();
        $this->directory->remove();
    }

    private function launch(): void
    {
        $command = [
            $this->program,
            '-D',
            $this->data(),
            '-p',
            (string) $this->port,
            '-c',
            'listen_addresses=127.0.0.1',
            '-c',
            'unix_socket_directories=',
        ];
        $this->daemon = ChildProcess::start(new ProcessOptions(
            'PostgreSQL',
            $command,
            $this->directory->file('log'),
            stopSignals: [Signal::Interrupt],
            account: $this->account,
        ));
        $this->daemon->awaitReady($this->answers(...), 180_000);
    }

    /** The server does not start on data that a process of the old one still has in memory. */
    private function kill(): void
    {
        $proc = new Proc;
        $family = $this->daemon?->isRunning() === true
            ? [$this->daemon->pid, ...array_keys($proc->descendants($this->daemon->pid))]
            : [];

        foreach ($family as $pid) {
            posix_kill($pid, SIGKILL);
        }

        Patience::until(
            fn (): bool => $this->daemon?->isRunning() !== true && array_filter($family, $proc->isAlive(...)) === [],
            'PostgreSQL is gone',
        );
        $this->daemon = null;
    }

    private function answers(): bool
    {
        try {
            new PDO("pgsql:host=127.0.0.1;port={$this->port};dbname=headroom", 'headroom', 'headroom');

            return true;
        } catch (PDOException) {
            return false;
        }
    }

    private function data(): string
    {
        return "{$this->directory->work}/data";
    }

    /** @param non-empty-list<string> $command */
    private function prepare(array $command, string $input = ''): void
    {
        $as = $this->account === null
            ? []
            : ['setpriv', "--reuid={$this->account->user}", "--regid={$this->account->group}", '--clear-groups'];
        (new Process([...$as, ...$command], '/', ['HOME' => '/'], $input, 120))->mustRun();
    }
}
