<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor\Planted;

use Headroom\Tests\Contract\Support\TestDatabase;
use PDO;
use PDOException;
use Symfony\Component\Process\Process;

/**
 * The MariaDB of bin/services with nothing wrong, but for what is planted in it. It is as it was before when this ends.
 */
final class PlantedSql
{
    private const SETTINGS = ['max_connections', 'slow_query_log', 'long_query_time'];

    /** @var array<string, string> */
    private array $before = [];

    /** @var list<PDO> with transactions of others */
    private array $left = [];

    /** @param array<string, string> $server */
    private function __construct(private readonly PDO $pdo, public readonly array $server) {}

    public function __destruct()
    {
        foreach ($this->left as $other) {
            try {
                $other->rollBack();
            } catch (PDOException) {
                // A fix has ended it.
            }
        }

        foreach ($this->before as $name => $value) {
            $this->pdo->exec("set global {$name} = {$value}");
        }
    }

    /** @param list<string> $statements and 'leave open SECONDS' and 'deadlock' */
    public static function with(array $statements): self
    {
        $server = TestDatabase::MariaDb->server();
        $sql = new self(self::connection($server), $server);

        foreach (self::SETTINGS as $name) {
            $value = $sql->pdo->query("select @@global.{$name}");
            $sql->before[$name] = $value === false ? '' : (string) $value->fetchColumn();
        }

        $sql->pdo->exec('set global slow_query_log = 1, global long_query_time = 0.2');
        $sql->pdo->exec('create table if not exists doctor_planted (id int primary key, n int)');
        $sql->pdo->exec('replace into doctor_planted values (1, 0), (2, 0)');

        foreach ($statements as $statement) {
            match (true) {
                $statement === 'deadlock' => $sql->deadlock(),
                str_starts_with(
                    $statement,
                    'leave open ',
                ) => $sql->leaveOpen((int) substr($statement, strlen('leave open '))),
                default => $sql->pdo->exec($statement),
            };
        }

        return $sql;
    }

    private function leaveOpen(int $seconds): void
    {
        $this->left[] = $other = self::connection($this->server);
        $other->beginTransaction();
        $other->exec('update doctor_planted set n = n + 1 where id = 1');
        sleep($seconds);
    }

    /** Two that want each other's rows. */
    private function deadlock(): void
    {
        $both = [];

        foreach ([[1, 2], [2, 1]] as [$first, $second]) {
            $both[] = $process = new Process(
                [
                    'mysql',
                    '--no-defaults',
                    '-h',
                    $this->server['host'],
                    '-P',
                    $this->server['port'],
                    '-u',
                    $this->server['username'],
                    $this->server['database'],
                    '-e',
                    "begin; update doctor_planted set n = 1 where id = {$first}; select sleep(1);"
                        ." update doctor_planted set n = 1 where id = {$second}; commit",
                ],
                env: ['MYSQL_PWD' => $this->server['password']],
            );
            $process->start();
        }

        foreach ($both as $process) {
            $process->wait();
        }
    }

    /** @param array<string, string> $server */
    private static function connection(array $server): PDO
    {
        return new PDO(
            "mysql:host={$server['host']};port={$server['port']};dbname={$server['database']}",
            $server['username'],
            $server['password'],
            [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION],
        );
    }
}
