<?php

declare(strict_types=1);

use Illuminate\Database\Migrations\Migration;
use Illuminate\Database\Schema\Blueprint;
use Illuminate\Support\Facades\Schema;

return new class extends Migration
{
    public function up(): void
    {
        Schema::create('logs', function (Blueprint $table): void {
            $table->uuid('id')->primary();
            $table->string('source');
            $table->string('type', 20);
            $table->dateTime('time')->index();
            $table->unsignedSmallInteger('level');
            $table->string('level_name', 10);
            $table->string('channel', 100);
            $table->text('message');
            $table->json('context');
            $table->json('extra');
            $table->index(['level', 'time']);
        });
    }

    public function down(): void
    {
        Schema::dropIfExists('logs');
    }
};
