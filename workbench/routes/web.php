<?php

declare(strict_types=1);

use Illuminate\Support\Facades\Route;
use Workbench\App\Http\Controllers\Pages\AnonymousController;
use Workbench\App\Http\Controllers\Pages\AuditedController;
use Workbench\App\Http\Controllers\Pages\BladeController;
use Workbench\App\Http\Controllers\Pages\JsonController;
use Workbench\App\Http\Controllers\Pages\MailController;
use Workbench\App\Http\Controllers\Pages\MoneyController;
use Workbench\App\Http\Controllers\Pages\NotifyController;
use Workbench\App\Http\Controllers\Pages\PostsController;
use Workbench\App\Http\Controllers\Pages\QueueController;
use Workbench\App\Http\Controllers\Pages\ReportController;
use Workbench\App\Http\Controllers\Pages\SheetController;
use Workbench\App\Http\Controllers\Pages\TotalsController;
use Workbench\App\Http\Controllers\Pages\ValidateController;

// What preloading is tested and measured on: README.md says what is special about each.
Route::get('json', JsonController::class);
Route::get('blade', BladeController::class)->middleware('web');
Route::get('posts', PostsController::class)->middleware('web');
Route::get('validate', ValidateController::class);

// No session and no token: whoever replays a POST has neither.
Route::match(['get', 'post'], 'mail', MailController::class);
Route::match(['get', 'post'], 'notify', NotifyController::class);
Route::match(['get', 'post'], 'queue', QueueController::class);

Route::get('anonymous', AnonymousController::class);
Route::get('alias', MoneyController::class);
Route::get('optional', SheetController::class);
Route::get('impure-parent', ReportController::class);
Route::get('trap', TotalsController::class);
Route::get('audited', AuditedController::class);
