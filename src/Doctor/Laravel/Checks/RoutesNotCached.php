<?php

declare(strict_types=1);

namespace Headroom\Doctor\Laravel\Checks;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Check;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Layer;
use Headroom\Doctor\Rule;
use Headroom\Doctor\Severity;

/**
 * @internal
 */
final readonly class RoutesNotCached implements Check
{
    public function rule(): Rule
    {
        return new Rule(
            'L2',
            'Routes are not cached',
            Severity::Medium,
            Layer::Laravel,
            'Laravel registers every route in each request unless they are cached, and builds an object for each before'
                .' it finds the one that is asked for. The more routes there are, the more it costs.',
            'The environment is not local or testing, and the file that `php artisan route:cache` writes is not there.',
            ['https://laravel.com/docs/deployment#optimization'],
            2,
        );
    }

    public function examine(Facts $facts): array
    {
        $app = $facts->get(Application::class);

        if (! $app->isProduction()) {
            return [Finding::skipped("the environment is {$app->environment}, where a cache would be in the way")];
        }

        $evidence = new Evidence(
            'cache of routes',
            $app->isCached('routes') ? 'there' : 'missing',
            'php artisan about',
        );

        return [$app->isCached('routes') ? Finding::pass('the routes are cached', $evidence) : Finding::warn(
            'The routes are not cached.',
            [$evidence],
            'Each request registers every route before it finds its own.',
            new Fix(
                'Make it with each deploy, after the code is in place; `php artisan optimize` makes all of L1 to L3.',
                [],
                ['php artisan route:cache'],
                'php artisan route:clear',
                'php artisan about --only=cache',
            ),
        )];
    }
}
