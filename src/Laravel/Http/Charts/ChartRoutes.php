<?php

declare(strict_types=1);

namespace Headroom\Laravel\Http\Charts;

use Headroom\Laravel\Http\Authorize;
use Headroom\Support\InvalidConfig;
use Illuminate\Routing\Router;

/**
 * The routes of the charts page. Loaded only if config/headroom.php enables the page.
 *
 * @internal
 */
final readonly class ChartRoutes
{
    /**
     * @param array<array-key, mixed> $config
     *
     * @throws InvalidConfig
     */
    public static function register(Router $router, array $config): void
    {
        $settings = ChartSettings::fromArray($config);

        $router->group(
            ['prefix' => $settings->path, 'middleware' => [...$settings->middleware, Authorize::class]],
            static function (Router $router): void {
                $router->get('/', [ChartController::class, 'page'])->name('headroom.charts');
                $router->get('data', [ChartController::class, 'data'])->name('headroom.charts.data');
                $router->get('assets/{name}', [ChartController::class, 'asset'])->where('name', '[A-Za-z]+\.[a-z]+');
            },
        );
    }
}
