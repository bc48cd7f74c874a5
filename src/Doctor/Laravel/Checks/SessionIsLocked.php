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
            static fn (BlockingRoute $route): Evidence => new Evidence(
                $route->name(),
                "a lock of {$route->lockSeconds} s, waited for up to {$route->waitSeconds} s",
                'artisan route:list',
            ),
            array_slice($routes, 0, self::MAX_SHOWN),
        );

        return [match (true) {
            $app->isOn('session.block') => self::all($app, $evidence),
            $read !== [] => self::some($app, $read, $evidence),
            default => Finding::pass(
                $routes === [] ? 'no route locks the session' : 'only routes that write lock the session',
                ...$evidence,
            ),
        }];
    }

    /** @param list<Evidence> $evidence */
    private static function all(Application $app, array $evidence): Finding
    {
        return Finding::warn(
            'Every route with a session holds its lock.',
            [$app->evidence('session.block'), ...$evidence],
            'Requests of one user run one after the other, and waiting requests hold PHP processes.',
            new Fix(
                "Remove 'block' from {$app->file('session')}, and add ->block() to the routes that need it.",
                commands: $app->recache(),
                rollback: 'Restore the setting, then run the same commands.',
            ),
        );
    }

    /**
     * @param non-empty-list<BlockingRoute> $read
     * @param list<Evidence> $evidence
     */
    private static function some(Application $app, array $read, array $evidence): Finding
    {
        return Finding::warn(
            count($read) === 1
                ? "{$read[0]->name()} locks the session for reading."
                : count($read)." routes lock the session for reading, {$read[0]->name()} among them.",
            $evidence,
            'Requests of one user to them run one after the other, and waiting requests hold PHP processes.',
            new Fix(
                'Remove ->block() from routes that only read. Keep it where two requests of one user must not change'
                    .' the session at the same time.',
                commands: $app->isCached('routes') ? ['artisan route:cache'] : [],
                rollback: 'Add ->block() again.',
            ),
        );
    }
}
