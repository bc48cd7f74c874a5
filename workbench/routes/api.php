<?php

declare(strict_types=1);

use Illuminate\Support\Facades\Route;
use Workbench\App\Http\Controllers\EventController;
use Workbench\App\Http\Controllers\HomeController;

Route::get('/', HomeController::class);

Route::get('events/count', [EventController::class, 'count']);
Route::post('events/none', [EventController::class, 'none']);
Route::post('events/sync', [EventController::class, 'sync']);
Route::post('events/buffered', [EventController::class, 'buffered']);
Route::post('events/buffered-binary', [EventController::class, 'bufferedBinary']);

// These two need a Redis.
Route::post('events/buffered-redis', [EventController::class, 'bufferedRedis']);
Route::post('events/xadd', [EventController::class, 'xadd']);
