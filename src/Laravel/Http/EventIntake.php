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
 * The collector's intake in a route, for an application that can neither keep `headroom:collect` running nor publish
 * `headroom:lane`: the same paths, keys and answers, at the price of booting the application for each request.
 *
 *     EventIntake::at('/ingest');
 *
 * Then events go to `POST /ingest/v1/events`. What it returns is the route, for a name, a domain or middleware.
 */
final readonly class EventIntake
{
    /** A client of the collector has a key and no session: none is to be begun, written and sent back for each event. */
    private const SESSION = [
        EncryptCookies::class,
        AddQueuedCookiesToResponse::class,
        StartSession::class,
        ShareErrorsFromSession::class,
        VerifyCsrfToken::class,
        // From Laravel 13 on, the class above extends this one, which is in the group instead.
        'Illuminate\Foundation\Http\Middleware\PreventRequestForgery',
    ];

    /** @param string $prefix before the paths of the collector, below that of a group */
    public static function at(string $prefix): Route
    {
        return Router::any(rtrim($prefix, '/').'/{headroomPath?}', ReceiveEvents::class.'@__invoke')
            ->where('headroomPath', '.*')
            ->withoutMiddleware(self::SESSION);
    }
}
