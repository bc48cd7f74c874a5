<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract\Support;

use Headroom\Core\FaultPoint;
use Headroom\Core\SystemClock;
use Headroom\Sink\Database\DatabaseSink;
use Headroom\Sink\Database\TableCheck;
use Headroom\Support\ConfigReader;
use Illuminate\Database\Capsule\Manager;
use Illuminate\Database\Connection;
use Illuminate\Database\Schema\Blueprint;
use PDO;

/**
 * An empty database (on PostgreSQL a schema) with a ledger, for one test. Call drop() in tearDown().
 */
final class FreshDatabase
{
    /**
     * @var array<string, Connection> that make databases and drop them: PostgreSQL starts a process for each connection
     */
    private static array $owners = [];

    private function __construct(
        public readonly TestDatabase $kind,
        public readonly string $name,
        public readonly Manager $capsule,
    ) {}

    /** @param array<string, mixed> $settings over those of the default connection */
    public static function create(TestDatabase $kind, array $settings = []): self
    {
        $name = 'headroom_'.bin2hex(random_bytes(6));
        $base = $kind === TestDatabase::Sqlite ? self::sqlite($name) : self::server($kind);
        $capsule = new Manager;
        $database = new self($kind, $name, $capsule);
        $database->createItself();

        foreach (['default', 'other'] as $connection) {
            $capsule->addConnection([...$base, ...$database->place(), ...$settings], $connection);
        }

        $database->createLedger();

        return $database;
    }

    public function drop(): void
    {
        foreach (['default', 'other'] as $connection) {
            $this->capsule->getConnection($connection)->disconnect();
        }

        match ($this->kind) {
            TestDatabase::Sqlite => array_map(unlink(...), array_filter(self::files($this->name), is_file(...))),
            TestDatabase::MariaDb, TestDatabase::MySql => $this->owner()->statement("drop database {$this->name}"),
            TestDatabase::PostgreSql => $this->owner()->statement("drop schema {$this->name} cascade"),
        };
    }

    /** The one that the sink uses. */
    public function connection(): Connection
    {
        return $this->capsule->getConnection();
    }

    /** Another session on the same database. */
    public function other(): Connection
    {
        return $this->capsule->getConnection('other');
    }

    /** @param array<string, mixed> $settings over those of the sink's connection */
    public function addConnection(string $name, array $settings): void
    {
        $this->capsule->addConnection(
            [...(array) $this->connection()->getConfig(), ...$settings, 'name' => $name],
            $name,
        );
    }

    public function sink(string $table, ?FaultPoint $faultPoint = null, ?string $connection = null): DatabaseSink
    {
        return new DatabaseSink(
            $this->capsule->getDatabaseManager(),
            $connection,
            $table,
            new SystemClock,
            $faultPoint,
        );
    }

    /** @param array<string, mixed> $options as a bucket has them, without its sink */
    public function configured(array $options, ?FaultPoint $faultPoint = null): DatabaseSink
    {
        return DatabaseSink::fromOptions(
            $this->capsule->getDatabaseManager(),
            new ConfigReader($options, 'spool.buckets.test'),
            new SystemClock,
            $faultPoint,
        );
    }

    public function examination(string $table, ?string $connection = null): TableCheck
    {
        return new TableCheck($this->capsule->getDatabaseManager(), $connection, $table);
    }

    /** As the migration makes it. */
    public function createLedger(): void
    {
        $this->connection()->getSchemaBuilder()->create('spool_ledger', static function (Blueprint $table): void {
            $table->string('source', 32);
            $table->string('bucket', 64);
            $table->string('position', 47);
            $table->string('checksum', 32)->nullable();
            $table->unsignedBigInteger('delivered');
            $table->unsignedBigInteger('dead');
            $table->timestamp('updated_at')->nullable();
            $table->primary(['source', 'bucket']);
        });
    }

    /** @return list<array<string, mixed>> in the order of their auto-increment key, without it; bytes as strings */
    public function rows(string $table): array
    {
        $rows = [];

        foreach ($this->connection()->table($table)->orderBy('row')->get() as $row) {
            $values = [];

            foreach (get_object_vars($row) as $column => $value) {
                $values[(string) $column] = is_resource($value) ? stream_get_contents($value) : $value;
            }

            unset($values['row']);
            $rows[] = $values;
        }

        return $rows;
    }

    /** Of the sink's connection. */
    public function sessionId(): int
    {
        $id = $this->connection()
            ->scalar($this->kind->isOfMysql() ? 'select connection_id()' : 'select pg_backend_pid()');

        return is_numeric($id) ? (int) $id : 0;
    }

    /** As a server that restarts or a firewall that forgets ends it; returns when it is gone. */
    public function endSession(int $id): void
    {
        if ($this->kind === TestDatabase::PostgreSql) {
            $this->other()->select('select pg_terminate_backend(?, 5000)', [$id]);

            return;
        }

        $this->other()->statement("kill {$id}");
        $clock = new SystemClock;

        while (
            $this->other()->scalar('select count(*) from information_schema.processlist where id = ?', [$id])
            !== 0
        ) {
            $clock->sleep(1000);
        }
    }

    private function createItself(): void
    {
        match ($this->kind) {
            TestDatabase::Sqlite => true,
            TestDatabase::MariaDb, TestDatabase::MySql => $this->owner()
                ->statement("create database {$this->name} character set utf8mb4"),
            TestDatabase::PostgreSql => $this->owner()->statement("create schema {$this->name}"),
        };
    }

    private function owner(): Connection
    {
        if (! isset(self::$owners[$this->kind->value])) {
            $capsule = new Manager;
            $capsule->addConnection(self::server($this->kind));
            self::$owners[$this->kind->value] = $capsule->getConnection();
        }

        return self::$owners[$this->kind->value];
    }

    /** @return array<string, string> */
    private function place(): array
    {
        return match ($this->kind) {
            TestDatabase::Sqlite => [],
            TestDatabase::MariaDb, TestDatabase::MySql => ['database' => $this->name],
            TestDatabase::PostgreSql => ['search_path' => $this->name],
        };
    }

    /** @return array<string, mixed> */
    private static function sqlite(string $name): array
    {
        [$file] = self::files($name);
        touch($file);

        return ['driver' => 'sqlite', 'database' => $file, 'prefix' => '', 'foreign_key_constraints' => true];
    }

    /** @return list<string> */
    private static function files(string $name): array
    {
        $file = sys_get_temp_dir()."/{$name}.sqlite";

        return [$file, "{$file}-journal", "{$file}-wal", "{$file}-shm"];
    }

    /** @return array<string, mixed> */
    private static function server(TestDatabase $kind): array
    {
        return [
            'driver' => $kind->value,
            ...$kind->server(),
            'charset' => $kind->isOfMysql() ? 'utf8mb4' : 'utf8',
            'prefix' => '',
            'strict' => true,
            'options' => [PDO::ATTR_TIMEOUT => 10],
        ];
    }
}
