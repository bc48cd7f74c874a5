<?php

declare(strict_types=1);

namespace Headroom\Laravel\Http\Dashboard;

use Illuminate\Routing\Router;

/**
 * The route of the metrics. It has none of the dashboard's middleware, because a request with a token needs no session;
 * MetricsAccess runs that middleware for other requests.
 *
 * @internal
 */
final readonly class MetricsRoute
{
    /** Member of the route's action, which a route cache keeps. */
    public const MIDDLEWARE = 'headroom_middleware';

    /** @param list<string> $middleware of the dashboard, without the gate */
    public static function register(Router $router, string $prefix, array $middleware): void
    {
        $router->get("{$prefix}/metrics", [
            'uses' => MetricsController::class.'@__invoke',
            'as' => 'headroom.metrics',
            'middleware' => [MetricsAccess::class],
            self::MIDDLEWARE => $middleware,
        ]);
    }
}
