<?php

declare(strict_types=1);

namespace Headroom\Laravel\Preload;

use Headroom\Preload\Page;
use Illuminate\Contracts\Foundation\Application;
use Illuminate\Routing\Router;

/**
 * The pages that a GET without parameters reaches.
 *
 * @internal
 */
final readonly class RoutePages
{
    /** @return list<Page> */
    public static function of(Application $app): array
    {
        $pages = [];

        foreach ($app->make(Router::class)->getRoutes()->getRoutes() as $route) {
            if (
                in_array('GET', $route->methods(), true)
                && $route->getDomain() === null
                && preg_match('/\{[^}?]+\}/', $route->uri()) === 0
            ) {
                // An optional parameter is left out of the path.
                $path = '/'.trim((string) preg_replace('#/?\{[^}]*\?\}#', '', $route->uri()), '/');
                $pages[$path] = new Page('GET', $path);
            }
        }

        return array_values($pages);
    }
}
