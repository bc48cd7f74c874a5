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
final readonly class EventsOrViewsNotCached implements Check
{
    private const COSTS = [
        'events' => 'Each request looks through the directories of listeners, where these are discovered.',
        'views' => 'The first requests after a deploy compile the views, all at once.',
    ];

    private const COMMANDS = ['events' => 'event', 'views' => 'view'];

    public function examine(Facts $facts): iterable
    {
        $app = $facts->get(Application::class);

        if (! $app->isProduction()) {
            return [Finding::skipped("the environment is {$app->environment}, where caches would be in the way")];
        }

        $evidence = [];
        $missing = [];

        foreach (array_keys(self::COSTS) as $what) {
            $evidence[] = new Evidence(
                "cache of {$what}",
                $app->isCached($what) ? 'there' : 'missing',
                'artisan about',
            );
            $missing = $app->isCached($what) ? $missing : [...$missing, $what];
        }

        return [$missing === [] ? Finding::pass('events and views are cached', ...$evidence) : Finding::warn(
            'Not cached: '.implode(' and ', $missing).'.',
            $evidence,
            implode(' ', array_map(static fn (string $what): string => self::COSTS[$what], $missing)),
            new Fix(
                'Make them with each deploy, after the code is in place; `optimize` makes all of L1 to L3.',
                [],
                array_map(static fn (string $what): string => 'artisan '.self::COMMANDS[$what].':cache', $missing),
                implode(
                    '; ',
                    array_map(
                        static fn (string $what): string => 'artisan '.self::COMMANDS[$what].':clear',
                        $missing,
                    ),
                ),
                'artisan about --only=cache',
            ),
        )];
    }
}
