<?php

declare(strict_types=1);

namespace Headroom\Doctor\Laravel\Checks;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Check;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Laravel\BlockingRoute;
use Headroom\Doctor\Laravel\BlockingRoutes;

/**
 * @internal
 */
final readonly class SessionIsLocked implements Check
{
    private const SHOWN = 10;

    public function examine(Facts $facts): iterable
    {
        $app = $facts->get(Application::class);
        $routes = $facts->get(BlockingRoutes::class)->routes;
        $evidence = array_map(
            static fn (BlockingRoute $route): Evidence => new Evidence(
                $route->name(),
                "a lock of {$route->lockSeconds} s, waited for up to {$route->waitSeconds} s",
                'artisan route:list',
            ),
            array_slice($routes, 0, self::SHOWN),
        );

        if ($app->isOn('session.block')) {
            return [Finding::warn(
                'Every route with a session holds its lock.',
                [$app->evidence('session.block'), ...$evidence],
                'Requests of one user go one after the other, and those that wait hold PHP processes.',
                new Fix(
                    "Take 'block' out of {$app->file('session')}, and put ->block() to the routes that need it.",
                    [],
                    $app->recache(),
                    'Put it back.',
                ),
            )];
        }

        $read = array_values(array_filter($routes, static fn (BlockingRoute $route): bool => $route->isRead()));

        return [
            $read === [] ? Finding::pass(
                $routes === [] ? 'no route locks the session' : 'only routes that are written to lock the session',
                ...$evidence,
            ) : Finding::warn(
                count($read) === 1
                    ? "{$read[0]->name()} locks the session while it is read."
                    : count($read)." routes lock the session while they are read, {$read[0]->name()} among them.",
                $evidence,
                'Requests of one user to them go one after the other, and those that wait hold PHP processes.',
                new Fix(
                    'Take ->block() from routes that are only read, and leave it where two requests of one user must'
                        .' not change the session at once.',
                    [],
                    $app->isCached('routes') ? ['artisan route:cache'] : [],
                    'Put it back.',
                ),
            ),
        ];
    }
}
