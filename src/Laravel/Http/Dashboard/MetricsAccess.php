<?php

declare(strict_types=1);

namespace Headroom\Laravel\Http\Dashboard;

use Closure;
use Headroom\Laravel\Http\Authorize;
use Illuminate\Contracts\Config\Repository;
use Illuminate\Contracts\Foundation\Application;
use Illuminate\Http\Request;
use Illuminate\Pipeline\Pipeline;
use Illuminate\Routing\Route;
use Illuminate\Routing\Router;

/**
 * Allows a request with the token of the configuration, without a session and its store. Other requests pass through
 * the middleware of the dashboard and its gate. In the environment `local` every request is allowed.
 *
 * @internal
 */
final readonly class MetricsAccess
{
    public function __construct(private Application $app, private Router $router, private Repository $config) {}

    /** @param Closure(Request): mixed $next */
    public function handle(Request $request, Closure $next): mixed
    {
        if ($this->app->environment('local') === true || $this->hasToken($request)) {
            return $next($request);
        }

        $route = ($request->getRouteResolver())();
        $middleware = $route instanceof Route ? (array) $route->getAction(DashboardRoutes::METRICS_MIDDLEWARE) : [];

        return (new Pipeline($this->app))
            ->send($request)
            ->through($this->router->resolveMiddleware([...array_values($middleware), Authorize::class]))
            ->then($next);
    }

    private function hasToken(Request $request): bool
    {
        $token = $this->config->get('headroom.metrics.token');
        $sent = $request->headers->all('Authorization');

        return is_string($token)
            && $token !== ''
            && count($sent) === 1
            && preg_match('/\ABearer +(\S+)\z/i', (string) $sent[0], $parts) === 1
            && hash_equals($token, $parts[1]);
    }
}
