<?php

declare(strict_types=1);

use Illuminate\Database\Migrations\Migration;
use Illuminate\Database\Schema\Blueprint;
use Illuminate\Support\Facades\Config;
use Illuminate\Support\Facades\Schema;

/*
 * A row per machine with a buffer, on one connection that all of them reach: `heartbeats` in config/spool.php names it,
 * and true is the default one. Without this table nothing is delivered less; spool:status --all has nothing to show.
 */
return new class extends Migration
{
    public function up(): void
    {
        if (Schema::connection($this->name())->hasTable('spool_nodes')) {
            return;
        }

        Schema::connection($this->name())->create('spool_nodes', function (Blueprint $table): void {
            $table->string('node', 32);
            $table->string('machine', 32);
            $table->string('host', 255);
            $table->unsignedBigInteger('pid');
            $table->text('path');
            // Both UTC, by the database's clock.
            $table->dateTime('since');
            $table->dateTime('last_seen')->index();
            $table->unsignedBigInteger('pending');
            // When it was last seen.
            $table->unsignedBigInteger('oldest_seconds')->nullable();
            $table->unsignedBigInteger('dead');
            $table->unsignedBigInteger('dropped');
            // Buckets whose flush fails.
            $table->unsignedInteger('troubled');
            // The same for each bucket, as JSON.
            $table->longText('buckets');
            $table->primary(['node', 'machine']);
        });
    }

    public function down(): void
    {
        Schema::connection($this->name())->dropIfExists('spool_nodes');
    }

    private function name(): ?string
    {
        $name = Config::get('spool.heartbeats');

        return is_string($name) && ! in_array($name, ['', '0', '1'], true) ? $name : null;
    }
};
