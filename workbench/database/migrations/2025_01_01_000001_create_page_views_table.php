<?php

declare(strict_types=1);

use Illuminate\Database\Migrations\Migration;
use Illuminate\Database\Schema\Blueprint;
use Illuminate\Support\Facades\Schema;

return new class extends Migration
{
    public function up(): void
    {
        Schema::create('page_views', function (Blueprint $table): void {
            $table->id();
            // Not unique: a row that was delivered twice shall be seen, not refused.
            $table->string('seq', 64)->index();
            $table->string('ip', 45);
            $table->dateTime('time');
            $table->string('method', 16);
            $table->string('path', 2048);
            $table->unsignedSmallInteger('status');
            $table->unsignedBigInteger('bytes')->nullable();
            $table->string('referer', 2048)->nullable();
            $table->string('agent', 1024)->nullable();
            $table->dateTime('created_at');
        });
    }

    public function down(): void
    {
        Schema::dropIfExists('page_views');
    }
};
