<?php

declare(strict_types=1);

use Illuminate\Support\Facades\Route;
use Workbench\App\Http\Controllers\DocumentController;
use Workbench\App\Http\Controllers\EventController;
use Workbench\App\Http\Controllers\HomeController;
use Workbench\App\Http\Middleware\RecordPageView;

Route::get('/', HomeController::class);

Route::get('events/count', [EventController::class, 'count']);
Route::post('events/none', [EventController::class, 'none']);
Route::post('events/sync', [EventController::class, 'sync']);
Route::post('events/buffered', [EventController::class, 'buffered']);
Route::post('events/buffered-binary', [EventController::class, 'bufferedBinary']);

Route::get('documents/{document}', [DocumentController::class, 'show'])->middleware(RecordPageView::class);
Route::post('documents', [DocumentController::class, 'store']);
Route::put('documents/{document}', [DocumentController::class, 'update']);
Route::delete('documents/{document}', [DocumentController::class, 'destroy']);
