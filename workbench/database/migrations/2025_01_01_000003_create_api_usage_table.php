<?php

declare(strict_types=1);

use Illuminate\Database\Migrations\Migration;
use Illuminate\Database\Schema\Blueprint;
use Illuminate\Support\Facades\Schema;

return new class extends Migration
{
    public function up(): void
    {
        Schema::create('api_usage', function (Blueprint $table): void {
            $table->string('api_key', 64);
            $table->dateTime('hour');
            $table->unsignedBigInteger('calls')->default(0);
            $table->unsignedBigInteger('errors')->default(0);
            $table->primary(['api_key', 'hour']);
        });
    }

    public function down(): void
    {
        Schema::dropIfExists('api_usage');
    }
};
