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
    private const MAX_SHOWN = 10;

    public function examine(Facts $facts): iterable
    {
        $app = $facts->get(Application::class);
        $routes = $facts->get(BlockingRoutes::class)->routes;
        $read = array_values(array_filter($routes, static fn (BlockingRoute $route): bool => $route->isRead()));
        $evidence = array_map(
            static fn (BlockingRoute $route): Evidence => $route->evidence(),
            array_slice($routes, 0, self::MAX_SHOWN),
        );

        yield match (true) {
            $app->isOn('session.block') => Finding::warn(
                'Every route with a session holds its lock.',
                [$app->evidence('session.block'), ...$evidence],
                new Fix(
                    "Remove 'block' from {$app->file('session')}, and add ->block() to the routes that need it.",
                    commands: $app->recache(),
                    rollback: 'Restore the setting, then run the same commands.',
                ),
            ),
            $read !== [] => Finding::warn(
                count($read) === 1
                    ? "{$read[0]->name()} locks the session for reading."
                    : count($read)." routes lock the session for reading, {$read[0]->name()} among them.",
                $evidence,
                new Fix(
                    commands: $app->isCached('routes') ? ['artisan route:cache'] : [],
                    rollback: 'Add ->block() again.',
                ),
            ),
            $routes === [] => Finding::pass('no route locks the session'),
            default => Finding::pass('only routes that write lock the session', ...$evidence),
        };
    }
}
