<?php

declare(strict_types=1);

use Illuminate\Database\Migrations\Migration;
use Illuminate\Database\Schema\Blueprint;
use Illuminate\Support\Facades\Schema;

return new class extends Migration
{
    public function up(): void
    {
        Schema::create('documents', function (Blueprint $table): void {
            $table->id();
            $table->string('title');
            $table->text('body')->nullable();
            $table->string('share_token')->nullable();
            $table->timestamps();
        });

        Schema::create('activities', function (Blueprint $table): void {
            $table->ulid('id')->primary();
            $table->unsignedBigInteger('actor_id')->nullable()->index();
            $table->string('ip', 45)->nullable();
            $table->string('action', 20);
            $table->string('subject_type');
            $table->string('subject_id', 64);
            $table->json('old');
            $table->json('new');
            $table->dateTime('happened_at')->index();
            $table->index(['subject_type', 'subject_id']);
        });
    }

    public function down(): void
    {
        Schema::dropIfExists('activities');
        Schema::dropIfExists('documents');
    }
};
