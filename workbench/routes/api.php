<?php

declare(strict_types=1);

use Illuminate\Support\Facades\Route;
use Workbench\App\Http\Controllers\EventController;
use Workbench\App\Http\Controllers\HomeController;
use Workbench\App\Http\Controllers\InvoiceController;

Route::get('/', HomeController::class);

Route::get('events/count', [EventController::class, 'count']);
Route::post('events/none', [EventController::class, 'none']);
Route::post('events/sync', [EventController::class, 'sync']);
Route::post('events/buffered', [EventController::class, 'buffered']);
Route::post('events/buffered-binary', [EventController::class, 'bufferedBinary']);

// docs/uses/notifications.md
Route::post('members/{member}/invoices', [InvoiceController::class, 'paid']);
Route::get('members/{member}/notifications', [InvoiceController::class, 'notifications']);
