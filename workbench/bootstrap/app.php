<?php

declare(strict_types=1);

use Illuminate\Foundation\Application;
use Illuminate\Foundation\Configuration\Exceptions;
use Illuminate\Foundation\Configuration\Middleware;
use Illuminate\Foundation\Http\Middleware\ConvertEmptyStringsToNull;
use Illuminate\Foundation\Http\Middleware\TrimStrings;
use Illuminate\Http\Middleware\HandleCors;
use Illuminate\Http\Middleware\TrustProxies;
use Illuminate\Http\Request;
use Illuminate\Support\Facades\Route;
use Workbench\App\StorageDirectory;

$storage = StorageDirectory::fromEnvironment(dirname(__DIR__));
$storage->prepare();

// A release has a place for its caches; the checkout stays as it is.
if (! is_dir(__DIR__.'/cache')) {
    $storage->exportCachePaths();
}

$app = Application::configure(basePath: dirname(__DIR__))
    ->withRouting(
        api: __DIR__.'/../routes/api.php',
        commands: __DIR__.'/../routes/console.php',
        then: fn () => Route::prefix('pages')->group(__DIR__.'/../routes/web.php'),
        apiPrefix: '',
    )
    ->withMiddleware(function (Middleware $middleware): void {
        // What a log reports is stored as it was sent, and no browser of another origin calls this application.
        $middleware->remove([
            ConvertEmptyStringsToNull::class,
            HandleCors::class,
            TrimStrings::class,
            TrustProxies::class,
        ]);
    })
    ->withExceptions(function (Exceptions $exceptions): void {
        // Form posts get their 422 as JSON as well: a redirect back would need a session.
        $exceptions->shouldRenderJsonWhen(fn (Request $request): bool => $request->is('events/*', 'pages/validate'));
    })
    ->create();

$app->useStoragePath($storage->path);

return $app;
