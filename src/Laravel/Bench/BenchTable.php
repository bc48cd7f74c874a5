<?php

declare(strict_types=1);

namespace Headroom\Laravel\Bench;

use Illuminate\Database\Connection;
use Illuminate\Database\ConnectionResolverInterface;
use Illuminate\Database\Schema\Blueprint;
use RuntimeException;

/**
 * A temporary table as the destination of a benchmark.
 *
 * @internal
 */
final readonly class BenchTable
{
    public string $name;

    private Connection $connection;

    public function __construct(ConnectionResolverInterface $connections, string $connection)
    {
        $resolved = $connections->connection($connection);
        $this->connection = $resolved instanceof Connection
            ? $resolved
            : throw new RuntimeException(
                "Connection {$connection} cannot create tables. Use a SQL connection of config/database.php.",
            );
        $this->name = 'spool_bench_'.bin2hex(random_bytes(4));
    }

    public function create(): void
    {
        if (! $this->connection->getSchemaBuilder()->hasTable('spool_ledger')) {
            throw new RuntimeException(
                "Connection {$this->connection->getName()} has no table spool_ledger, which each delivery updates."
                    .' Declare a bucket on it, and run `php artisan spool:install`, then `php artisan migrate`.',
            );
        }

        $this->connection->getSchemaBuilder()->create($this->name, static function (Blueprint $table): void {
            $table->id();
            $table->unsignedBigInteger('user_id');
            $table->string('event');
            $table->string('endpoint');
            $table->string('ip', 45);
            $table->dateTime('created_at');
            $table->string('agent');
        });
    }

    /** @param ?string $node node whose ledger rows are deleted as well */
    public function drop(?string $node): void
    {
        $this->connection->getSchemaBuilder()->dropIfExists($this->name);

        if ($node !== null) {
            $this->connection->table('spool_ledger')->where('source', $node)->delete();
        }
    }
}
