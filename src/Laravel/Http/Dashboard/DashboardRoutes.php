<?php

declare(strict_types=1);

namespace Headroom\Laravel\Http\Dashboard;

use Headroom\Laravel\Http\Authorize;
use Headroom\Laravel\Http\Dashboard\Access\SameOrigin;
use Headroom\Laravel\Http\Dashboard\Access\SecureResponse;
use Headroom\Laravel\Http\Dashboard\Access\VerifyToken;
use Headroom\Support\InvalidConfig;
use Illuminate\Routing\Router;

/**
 * The routes of the dashboard. A request for another path does not load them under PHP-FPM.
 *
 * The data needs no session, so that an open page shows what happens while the database with the sessions is down.
 *
 * @internal
 */
final readonly class DashboardRoutes
{
    private const BUCKET = '[a-z0-9][a-z0-9._-]{0,63}';

    /**
     * @param array<array-key, mixed> $config
     *
     * @throws InvalidConfig
     */
    public static function register(Router $router, array $config): void
    {
        $settings = DashboardSettings::fromArray($config);
        MetricsRoute::register($router, $settings->path, $settings->middleware);

        $router->group(['prefix' => $settings->path], static function (Router $router) use ($settings): void {
            $router->get('assets/{name}', [PageController::class, 'asset'])->where('name', '[A-Za-z]+\.[a-z]+');
            $router->get('link', [PageController::class, 'link'])->name('headroom.dashboard.link');
            self::pages($router, $settings->middleware);
            $router->group(
                ['prefix' => 'data', 'middleware' => [SecureResponse::class.':json', VerifyToken::class]],
                self::data(...),
            );
            $router->post('actions/{action}', Actions\ActionController::class)
                ->where('action', 'pause|resume|retry|forget|export|doctor')
                ->middleware([
                    SecureResponse::class.':json',
                    SameOrigin::class,
                    ...$settings->middleware,
                    Authorize::class,
                    Authorize::class.':'.Authorize::MANAGE,
                ]);
        });
    }

    /** @param list<string> $middleware */
    private static function pages(Router $router, array $middleware): void
    {
        $router->get('/', [PageController::class, 'page'])
            ->middleware([SecureResponse::class, ...$middleware, Authorize::class])
            ->name('headroom.dashboard');
        $router->get('token', [PageController::class, 'token'])
            ->middleware([SecureResponse::class.':json', ...$middleware, Authorize::class]);
    }

    private static function data(Router $router): void
    {
        $router->get('now', [Data\DataController::class, 'now']);
        $router->get('history', [Data\DataController::class, 'history']);
        $router->get('nodes', [Data\DataController::class, 'nodes']);
        $router->get('machine', [Data\DataController::class, 'machine']);
        $router->get('buckets/{bucket}', [Data\BucketController::class, 'bucket'])->where('bucket', self::BUCKET);
        $router->get('buckets/{bucket}/dead', [Data\BucketController::class, 'dead'])->where('bucket', self::BUCKET);
        $router->get('buckets/{bucket}/events', [Data\BucketController::class, 'events'])
            ->where('bucket', self::BUCKET);
    }
}
