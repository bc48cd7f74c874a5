<?php

declare(strict_types=1);

namespace Headroom\Laravel\Http;

use Illuminate\Cookie\Middleware\AddQueuedCookiesToResponse;
use Illuminate\Cookie\Middleware\EncryptCookies;
use Illuminate\Foundation\Http\Middleware\VerifyCsrfToken;
use Illuminate\Routing\Route;
use Illuminate\Session\Middleware\StartSession;
use Illuminate\Support\Facades\Route as Router;
use Illuminate\View\Middleware\ShareErrorsFromSession;

/**
 * The collector's intake as a route, for an application that can neither keep `headroom:collect` running nor publish
 * `headroom:collect:publish`. Paths, keys and responses are the same, but each request boots the application.
 *
 *     EventIntake::at('/ingest');
 *
 * Clients then send events to `POST /ingest/v1/events`. at() returns the route, so you can add a name, a domain or
 * middleware.
 */
final readonly class EventIntake
{
    /** A collector client has a key and no session, so no session is started, stored and sent back for each event. */
    private const SESSION = [
        EncryptCookies::class,
        AddQueuedCookiesToResponse::class,
        StartSession::class,
        ShareErrorsFromSession::class,
        VerifyCsrfToken::class,
        // Since Laravel 13 the class above extends this one, which is in the middleware group instead.
        'Illuminate\Foundation\Http\Middleware\PreventRequestForgery',
    ];

    /** @param string $prefix prepended to the collector's paths, relative to the prefix of a route group */
    public static function at(string $prefix): Route
    {
        return Router::any(rtrim($prefix, '/').'/{headroomPath?}', ReceiveEvents::class.'@__invoke')
            ->where('headroomPath', '.*')
            ->withoutMiddleware(self::SESSION);
    }
}
