<?php

declare(strict_types=1);

namespace Headroom\Doctor\Checks\Laravel;

use Headroom\Doctor\Check;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Facts\Laravel\Application;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Layer;
use Headroom\Doctor\Rule;
use Headroom\Doctor\Severity;

/**
 * @internal
 */
final readonly class NotCached implements Check
{
    private const COSTS = [
        'config' => 'Each request reads .env and every file of config/.',
        'events' => 'Each request looks through the directories of listeners, where these are discovered.',
        'routes' => 'Each request registers every route before it finds its own.',
        'views' => 'The first requests after a deploy compile the views, all at once.',
    ];

    public function rule(): Rule
    {
        return new Rule(
            'L1',
            'Configuration, routes, events or views are not cached',
            Severity::Medium,
            Layer::Laravel,
            'Laravel puts its configuration, its routes and its listeners together anew in each request unless they are cached. It is work for the CPU of every request, and none that a user asked for.',
            'The environment is not local or testing, and a cache that `php artisan optimize` writes is not there.',
            ['https://laravel.com/docs/deployment#optimization'],
            2,
        );
    }

    public function examine(Facts $facts): array
    {
        $app = $facts->get(Application::class);

        if (! $app->isProduction()) {
            return [Finding::skipped("the environment is {$app->environment}, where caches would be in the way")];
        }

        $missing = [];
        $evidence = [];

        foreach (array_keys(self::COSTS) as $what) {
            $evidence[] = new Evidence("cache of {$what}", $app->isCached($what) ? 'there' : 'missing', 'php artisan about');

            if (! $app->isCached($what)) {
                $missing[] = $what;
            }
        }

        return [$missing === [] ? Finding::pass('all of it is cached', ...$evidence) : Finding::warn(
            'Not cached: '.implode(', ', $missing).'.',
            $evidence,
            implode(' ', array_map(static fn (string $what): string => self::COSTS[$what], $missing)),
            new Fix('Make the caches with each deploy, after the code is in place.', [], ['php artisan optimize'], 'php artisan optimize:clear', 'php artisan about --only=cache'),
        )];
    }
}
