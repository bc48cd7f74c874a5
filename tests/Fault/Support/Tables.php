<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support;

use Illuminate\Database\Connection;
use Illuminate\Database\Schema\Blueprint;

/**
 * The table that receives events, and the ledger as the package's migration makes it. No event's id is unique in the
 * table, so that a double is seen and not refused.
 */
final readonly class Tables
{
    public function __construct(private Connection $connection) {}

    public function create(): void
    {
        $schema = $this->connection->getSchemaBuilder();

        $schema->create('events', function (Blueprint $table): void {
            $table->id('arrival');
            $table->string('id', 64);
            $table->mediumText('body');
        });

        $schema->create('spool_ledger', function (Blueprint $table): void {
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

    public function drop(): void
    {
        $this->connection->getSchemaBuilder()->drop('events');
        $this->connection->getSchemaBuilder()->drop('spool_ledger');
    }
}
