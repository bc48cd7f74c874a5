<?php

declare(strict_types=1);

use Headroom\Laravel\Webhooks\Webhook;
use Illuminate\Session\Middleware\StartSession;
use Illuminate\Support\Facades\Route;
use Workbench\App\Http\Controllers\CatalogueController;
use Workbench\App\Http\Controllers\ContactController;
use Workbench\App\Http\Controllers\DocumentController;
use Workbench\App\Http\Controllers\EventController;
use Workbench\App\Http\Controllers\HomeController;
use Workbench\App\Http\Controllers\InvoiceController;
use Workbench\App\Http\Controllers\MemberController;
use Workbench\App\Http\Controllers\MeteredEventController;
use Workbench\App\Http\Controllers\OrderController;
use Workbench\App\Http\Middleware\MeterApiCalls;
use Workbench\App\Http\Middleware\RecordPageView;

Route::get('/', HomeController::class);

// benchmarks/bottleneck: a page as most have it, with a session and some of its parts from the cache.
Route::get('catalogue', CatalogueController::class)->middleware(StartSession::class);

Route::get('events/count', [EventController::class, 'count']);
Route::post('events/none', [EventController::class, 'none']);
Route::post('events/file', [EventController::class, 'file']);
Route::post('events/sync', [EventController::class, 'sync']);
Route::post('events/buffered', [EventController::class, 'buffered']);
Route::post('events/buffered-binary', [EventController::class, 'bufferedBinary']);

Route::post('members', MemberController::class);
Route::post(
    'hooks/github',
    Webhook::github('github', secretIn: 'services.github.webhook_secret', headers: ['X-GitHub-Event']),
);
Route::post('contacts', ContactController::class);
Route::post('events/metered-sync', [MeteredEventController::class, 'sync']);
Route::post('events/metered-buffered', [MeteredEventController::class, 'buffered']);

Route::get('api/ping', fn () => ['pong' => true])->middleware(MeterApiCalls::class);
Route::get('api/missing', fn () => abort(404))->middleware(MeterApiCalls::class);
// docs/uses/notifications.md
Route::post('members/{member}/invoices', [InvoiceController::class, 'paid']);
Route::get('members/{member}/notifications', [InvoiceController::class, 'notifications']);
Route::get('documents/{document}', [DocumentController::class, 'show'])->middleware(RecordPageView::class);
Route::post('documents', [DocumentController::class, 'store']);
Route::put('documents/{document}', [DocumentController::class, 'update']);
Route::delete('documents/{document}', [DocumentController::class, 'destroy']);
// docs/uses/logs.md
Route::post('orders/{order}', [OrderController::class, 'store']);
// These two need a Redis.
Route::post('events/buffered-redis', [EventController::class, 'bufferedRedis']);
Route::post('events/xadd', [EventController::class, 'xadd']);
