<?php

declare(strict_types=1);

use Illuminate\Database\Migrations\Migration;
use Illuminate\Database\Schema\Blueprint;
use Illuminate\Support\Facades\Schema;

return new class extends Migration
{
    public function up(): void
    {
        Schema::create('webhooks', function (Blueprint $table): void {
            $table->id();
            // Not unique, so that repeated deliveries stay visible. The handler's table has the unique id.
            $table->string('delivery_id')->nullable()->index();
            $table->dateTime('received_at');
            $table->json('headers')->nullable();
            $table->longText('body');
        });

        Schema::create('pushes', function (Blueprint $table): void {
            $table->id();
            $table->string('delivery_id')->unique();
            $table->string('repository');
            $table->string('ref');
        });
    }

    public function down(): void
    {
        Schema::dropIfExists('webhooks');
        Schema::dropIfExists('pushes');
    }
};
