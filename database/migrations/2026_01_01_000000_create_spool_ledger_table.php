<?php

declare(strict_types=1);

use Illuminate\Database\Migrations\Migration;
use Illuminate\Database\Schema\Blueprint;
use Illuminate\Support\Facades\Config;
use Illuminate\Support\Facades\DB;
use Illuminate\Support\Facades\Schema;

/*
 * The ledger lies in every database that a bucket delivers into: a row there moves in the transaction of the rows.
 */
return new class extends Migration
{
    public function up(): void
    {
        foreach ($this->connections() as $connection) {
            if (Schema::connection($connection)->hasTable('spool_ledger')) {
                $this->addChecksum($connection);

                continue;
            }

            Schema::connection($connection)->create('spool_ledger', function (Blueprint $table): void {
                $table->string('source', 32);
                $table->string('bucket', 64);
                $table->string('position', 47);
                // Of what the log holds up to there; null in rows of before.
                $table->string('checksum', 32)->nullable();
                $table->unsignedBigInteger('delivered');
                $table->unsignedBigInteger('dead');
                // UTC; a TIMESTAMP of MySQL refuses the hour that a time zone skips in spring.
                $table->dateTime('updated_at')->nullable();
                $table->primary(['source', 'bucket']);
            });
        }
    }

    public function down(): void
    {
        foreach ($this->connections() as $connection) {
            // Whose row is gone, that bucket stops and asks: a rollback must not take what was delivered out of memory.
            if (
                Schema::connection($connection)->hasTable('spool_ledger')
                && DB::connection($connection)->table('spool_ledger')->doesntExist()
            ) {
                Schema::connection($connection)->drop('spool_ledger');
            }
        }
    }

    private function addChecksum(?string $connection): void
    {
        if (! Schema::connection($connection)->hasColumn('spool_ledger', 'checksum')) {
            Schema::connection($connection)->table('spool_ledger', function (Blueprint $table): void {
                $table->string('checksum', 32)->nullable();
            });
        }
    }

    /** @return list<?string> null is the default connection */
    private function connections(): array
    {
        $connections = [null];

        foreach ((array) Config::get('spool.buckets', []) as $bucket) {
            if (is_array($bucket) && ($bucket['sink'] ?? null) === 'database') {
                $connection = $bucket['connection'] ?? null;
                $connections[] = is_string($connection) && $connection !== Config::get('database.default')
                    ? $connection
                    : null;
            }
        }

        return array_values(array_unique($connections));
    }
};
