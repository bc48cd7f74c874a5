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
    /** Member of the metrics' route, which a route cache keeps. */
    public const METRICS_MIDDLEWARE = 'headroom_middleware';

    private const BUCKET = '[a-z0-9][a-z0-9._-]{0,63}';

    /**
     * @param array<array-key, mixed> $config
     *
     * @throws InvalidConfig
     */
    public static function register(Router $router, array $config): void
    {
        [$path, $middleware] = self::settings($config);
        $router->group(['prefix' => $path], static function (Router $router) use ($middleware): void {
            self::metrics($router, $middleware);
            $router->get('assets/{name}', [PageController::class, 'asset'])->where('name', '[A-Za-z]+\.[a-z]+');
            $router->get('link', [PageController::class, 'link'])->name('headroom.dashboard.link');
            self::pages($router, $middleware);
            $router->group(
                ['prefix' => 'data', 'middleware' => [SecureResponse::class.':json', VerifyToken::class]],
                self::data(...),
            );
            // Only the name of a class does not load it.
            $router->post('actions/{action}', [Actions\ActionController::class, '__invoke'])
                ->where('action', 'pause|resume|retry|forget|export|doctor')
                ->middleware([
                    SecureResponse::class.':json',
                    SameOrigin::class,
                    ...$middleware,
                    Authorize::class,
                    Authorize::class.':manageHeadroom',
                ]);
        });
    }

    /**
     * Reads the settings without another class, because every command of artisan registers the routes.
     *
     * @param array<array-key, mixed> $config
     * @return array{string, list<string>} path and middleware
     *
     * @throws InvalidConfig
     */
    private static function settings(array $config): array
    {
        $path = $config['path'] ?? '';
        $middleware = $config['middleware'] ?? ['web'];

        if (is_string($path) && preg_match('~\A[a-z]+\z~', $path) === 1 && $middleware === ['web']) {
            return [$path, $middleware];
        }

        $settings = DashboardSettings::fromArray($config);

        return [$settings->path, $settings->middleware];
    }

    /**
     * A request with a token needs no session, so MetricsAccess runs the middleware for other requests.
     *
     * @param list<string> $middleware
     */
    private static function metrics(Router $router, array $middleware): void
    {
        $router->get('metrics', [
            'uses' => MetricsController::class.'@__invoke',
            'as' => 'headroom.metrics',
            'middleware' => [MetricsAccess::class],
            self::METRICS_MIDDLEWARE => $middleware,
        ]);
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
