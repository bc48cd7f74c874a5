<?php

declare(strict_types=1);

use Illuminate\Database\Migrations\Migration;
use Illuminate\Database\Schema\Blueprint;
use Illuminate\Support\Facades\Schema;

return new class extends Migration
{
    public function up(): void
    {
        Schema::create('page_visits', function (Blueprint $table): void {
            $table->id();
            $table->string('route');
            $table->string('path');
            $table->string('campaign', 100)->nullable();
            $table->string('referer', 100)->nullable();
            $table->char('visitor', 32);
            $table->dateTime('seen_at')->index();
        });
    }

    public function down(): void
    {
        Schema::dropIfExists('page_visits');
    }
};
