<?php

declare(strict_types=1);

use Illuminate\Database\Migrations\Migration;
use Illuminate\Database\Schema\Blueprint;
use Illuminate\Support\Facades\Schema;

return new class extends Migration
{
    public function up(): void
    {
        Schema::create('page_views_binary', function (Blueprint $table): void {
            $table->id();
            $table->string('seq', 64)->index();
            $table->binary('ip', 45);
            $table->binary('time', 32);
            $table->binary('method', 16);
            $table->binary('path', 2048);
            $table->unsignedSmallInteger('status');
            $table->unsignedBigInteger('bytes')->nullable();
            $table->binary('referer', 2048)->nullable();
            $table->binary('agent', 1024)->nullable();
            $table->dateTime('created_at');
        });
    }

    public function down(): void
    {
        Schema::dropIfExists('page_views_binary');
    }
};
