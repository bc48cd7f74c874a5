<?php

declare(strict_types=1);

namespace Headroom\Doctor\Laravel\Checks;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Check;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;

/**
 * @internal
 */
final readonly class RoutesNotCached implements Check
{
    public function examine(Facts $facts): iterable
    {
        $app = $facts->get(Application::class);

        if (! $app->isProduction()) {
            return [Finding::skipped("the environment is {$app->environment}, where a cache would be in the way")];
        }

        $evidence = new Evidence(
            'cache of routes',
            $app->isCached('routes') ? 'there' : 'missing',
            'artisan about',
        );

        return [$app->isCached('routes') ? Finding::pass('the routes are cached', $evidence) : Finding::warn(
            'The routes are not cached.',
            [$evidence],
            'Each request registers every route before it finds its own.',
            new Fix(
                'Make it with each deploy, after the code is in place; `optimize` makes all of L1 to L3.',
                [],
                ['artisan route:cache'],
                'artisan route:clear',
                'artisan about --only=cache',
            ),
        )];
    }
}
