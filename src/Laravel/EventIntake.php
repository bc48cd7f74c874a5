<?php

declare(strict_types=1);

namespace Headroom\Laravel;

use Headroom\Laravel\Events\ReceiveEvents;
use Illuminate\Foundation\Http\Middleware\VerifyCsrfToken;
use Illuminate\Routing\Route;
use Illuminate\Support\Facades\Route as Router;

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
    /** @param string $prefix before the paths of the collector, below that of a group */
    public static function at(string $prefix): Route
    {
        return Router::any(rtrim($prefix, '/').'/{headroomPath?}', ReceiveEvents::class.'@__invoke')
            ->where('headroomPath', '.*')
            // A client of the collector has no session whose token could be checked; it has a key.
            ->withoutMiddleware(VerifyCsrfToken::class);
    }
}
