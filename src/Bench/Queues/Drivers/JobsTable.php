<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Drivers;

use Closure;
use Headroom\Bench\Interrupted;
use Headroom\Bench\Queues\WorkerErrors;
use Headroom\Process\ShutdownHandler;
use Headroom\Process\Stoppable;
use Illuminate\Database\Connection;
use Illuminate\Database\Schema\Blueprint;
use Throwable;

/**
 * A temporary table of jobs. It has the columns and indexes of the application's table, if there is one, so the
 * benchmark measures those.
 *
 * @internal
 */
final class JobsTable implements Stoppable
{
    public readonly string $name;

    /** @var list<string> */
    private array $notes = [];

    private bool $isThere = true;

    private readonly int $maker;

    /** @param Closure(string): void $log */
    private function __construct(private readonly Connection $connection, private readonly Closure $log)
    {
        $this->name = 'headroom_bench_'.bin2hex(random_bytes(4));
        $this->maker = (int) getmypid();
    }

    /** @param Closure(string): void $log for a table that cannot be removed */
    public static function like(Connection $connection, string $original, Closure $log): self
    {
        $isThere = $connection->getSchemaBuilder()->hasTable($original);
        $isCopy = $isThere && in_array($connection->getDriverName(), ['mysql', 'mariadb', 'pgsql'], true);
        $table = new self($connection, $log);
        // Before it is created, so that an interruption at this moment leaves no table behind.
        ShutdownHandler::stop($table);

        try {
            $isCopy ? $table->copy($original) : $table->create();
            $table->notes = [
                ...($isCopy ? ["its table has the columns and indexes of `{$original}`"] : []),
                ...($isThere
                    ? (new TableCosts($connection))->lacking($original, $table->name)
                    : [
                        "there is no table `{$original}`: the table under test is that of `php artisan"
                            .' make:queue-table`',
                    ]),
            ];
        } catch (Throwable $e) {
            $table->stop();

            throw $e;
        }

        return $table;
    }

    /** @return list<string> how it resembles the application's table, and how it differs */
    public function notes(): array
    {
        return $this->notes;
    }

    /** Without the dead rows of the last run. */
    public function empty(): void
    {
        match ($this->connection->getDriverName()) {
            'mysql', 'mariadb', 'pgsql' => $this->connection->statement("TRUNCATE TABLE {$this->wrapped($this->name)}"),
            default => $this->connection->table($this->name)->delete(),
        };
    }

    /** As autovacuum does a minute after many rows were inserted, so that all runs have the same query plans. */
    public function analyze(): void
    {
        match ($this->connection->getDriverName()) {
            'mysql', 'mariadb' => $this->connection->select("ANALYZE TABLE {$this->wrapped($this->name)}", [], false),
            'pgsql' => $this->connection->statement("ANALYZE {$this->wrapped($this->name)}"),
            default => null,
        };
    }

    public function stop(): void
    {
        // A fork has a copy of this object, and must not drop the table that its parent still uses.
        if (! $this->isThere || getmypid() !== $this->maker) {
            return;
        }

        $this->isThere = false;

        try {
            $this->drop();
        } catch (Throwable $e) {
            $interrupted = Interrupted::within($e);
            $interrupted === null ? $this->warn($e) : $this->dropAndThrow($interrupted);
        }
    }

    /** An interruption must not stop the removal. */
    private function dropAndThrow(Interrupted $interrupted): never
    {
        try {
            $this->drop();
        } catch (Throwable $e) {
            $this->warn($e);
        }

        throw $interrupted;
    }

    private function drop(): void
    {
        $this->connection->getSchemaBuilder()->dropIfExists($this->name);
    }

    private function warn(Throwable $e): void
    {
        ($this->log)(
            "The table {$this->connection->getTablePrefix()}{$this->name} stays in {$this->connection->getName()}, "
                .'and can be dropped: '.trim(WorkerErrors::line($e)),
        );
    }

    private function copy(string $original): void
    {
        $isPostgres = $this->connection->getDriverName() === 'pgsql';
        $as = sprintf($isPostgres ? '(LIKE %s INCLUDING ALL)' : 'LIKE %s', $this->wrapped($original));
        $kind = $isPostgres && $this->isUnlogged($original) ? 'UNLOGGED TABLE' : 'TABLE';
        $this->connection->statement("CREATE {$kind} {$this->wrapped($this->name)} {$as}");
        $isPostgres ? $this->countByItself() : null;
    }

    private function isUnlogged(string $table): bool
    {
        return $this->connection->selectOne(
            "select 1 from pg_class where oid = ?::regclass and relpersistence = 'u'",
            [$this->wrapped($table)],
            false,
        ) !== null;
    }

    /** PostgreSQL copies the default of `id` as it is, so the copy would use the sequence of the original. */
    private function countByItself(): void
    {
        $table = $this->wrapped($this->name);
        $columns = $this->connection->select(
            'select a.attname as name from pg_attribute a join pg_attrdef d on d.adrelid = a.attrelid and d.adnum ='
                ." a.attnum where a.attrelid = ?::regclass and pg_get_expr(d.adbin, d.adrelid) like '%nextval(%'",
            [$table],
            false,
        );

        foreach ($columns as $at => $column) {
            $name = is_object($column) && isset($column->name) && is_string($column->name)
                ? $this->connection->getQueryGrammar()->wrap($column->name)
                : '';
            $sequence = $this->wrapped("{$this->name}_{$at}");
            $this->connection->statement("CREATE SEQUENCE {$sequence} OWNED BY {$table}.{$name}");
            $default = "nextval('{$sequence}'::regclass)";
            $this->connection->statement("ALTER TABLE {$table} ALTER COLUMN {$name} SET DEFAULT {$default}");
        }
    }

    /** As `php artisan make:queue-table` has it. */
    private function create(): void
    {
        $this->connection->getSchemaBuilder()->create($this->name, static function (Blueprint $table): void {
            $table->bigIncrements('id');
            $table->string('queue')->index();
            $table->longText('payload');
            $table->unsignedTinyInteger('attempts');
            $table->unsignedInteger('reserved_at')->nullable();
            $table->unsignedInteger('available_at');
            $table->unsignedInteger('created_at');
        });
    }

    private function wrapped(string $table): string
    {
        return $this->connection->getQueryGrammar()->wrapTable($table);
    }
}
