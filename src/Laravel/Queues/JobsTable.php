<?php

declare(strict_types=1);

namespace Headroom\Laravel\Queues;

use Headroom\Host\AtExit;
use Headroom\Host\Stoppable;
use Illuminate\Database\Connection;
use Illuminate\Database\Schema\Blueprint;
use Throwable;

/**
 * A table of jobs that is nobody's: with the columns and indexes of the application's own where it has one, so that those are measured.
 *
 * @internal
 */
final class JobsTable implements Stoppable
{
    public readonly string $name;

    private bool $isThere = true;

    private readonly int $maker;

    private function __construct(private readonly Connection $connection, public readonly bool $isCopy)
    {
        $this->name = 'headroom_bench_'.bin2hex(random_bytes(4));
        $this->maker = (int) getmypid();
    }

    public static function like(Connection $connection, string $original): self
    {
        $isCopy = in_array($connection->getDriverName(), ['mysql', 'mariadb', 'pgsql'], true) && $connection->getSchemaBuilder()->hasTable($original);
        $table = new self($connection, $isCopy);
        // Before it is made: who interrupts at that moment finds no table left behind.
        AtExit::stop($table);

        try {
            $isCopy ? $table->copy($original) : $table->create();
        } catch (Throwable $e) {
            $table->stop();

            throw $e;
        }

        return $table;
    }

    /** Without the dead rows of the last run. */
    public function empty(): void
    {
        match ($this->connection->getDriverName()) {
            'mysql', 'mariadb', 'pgsql' => $this->connection->unprepared("TRUNCATE TABLE {$this->wrapped($this->name)}"),
            default => $this->connection->table($this->name)->delete(),
        };
    }

    /** As autovacuum does a minute after many rows came, so that no run has other plans than the next. */
    public function analyze(): void
    {
        match ($this->connection->getDriverName()) {
            'mysql', 'mariadb' => $this->connection->select("ANALYZE TABLE {$this->wrapped($this->name)}"),
            'pgsql' => $this->connection->unprepared("ANALYZE {$this->wrapped($this->name)}"),
            default => null,
        };
    }

    public function stop(): void
    {
        // A fork has a copy of this object, and must not drop the table of who goes on.
        if (! $this->isThere || getmypid() !== $this->maker) {
            return;
        }

        $this->isThere = false;

        try {
            $this->connection->getSchemaBuilder()->dropIfExists($this->name);
        } catch (Throwable) {
            // A server that is gone keeps it; its name says whose it is.
        }
    }

    private function copy(string $original): void
    {
        $like = $this->connection->getDriverName() === 'pgsql' ? '(LIKE %s INCLUDING ALL)' : 'LIKE %s';
        $this->connection->unprepared("CREATE TABLE {$this->wrapped($this->name)} ".sprintf($like, $this->wrapped($original)));
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
