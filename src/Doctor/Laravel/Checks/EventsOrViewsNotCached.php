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
        'events' => 'Each request searches the directories of listeners, if Laravel discovers them.',
        'views' => 'The first requests after a deploy compile the views, all at the same time.',
    ];

    private const COMMANDS = ['events' => 'event', 'views' => 'view'];

    public function examine(Facts $facts): iterable
    {
        $app = $facts->get(Application::class)->inProduction();
        $missing = array_values(array_filter(
            array_keys(self::COSTS),
            static fn (string $what): bool => ! $app->isCached($what),
        ));
        $evidence = array_map(
            static fn (string $what): Evidence => new Evidence(
                "cache of {$what}",
                $app->isCached($what) ? 'exists' : 'missing',
                'artisan about',
            ),
            array_keys(self::COSTS),
        );

        return [$missing === [] ? Finding::pass('events and views are cached', ...$evidence) : Finding::warn(
            'Not cached: '.implode(' and ', $missing).'.',
            $evidence,
            implode(' ', array_map(static fn (string $what): string => self::COSTS[$what], $missing)),
            new Fix(
                'Cache them with each deploy, after the code is in place. `artisan optimize` creates all caches'
                    .' of L1 to L3.',
                commands: array_map(static fn (string $what): string => self::command($what, 'cache'), $missing),
                rollback: implode(
                    '; ',
                    array_map(static fn (string $what): string => self::command($what, 'clear'), $missing),
                ),
                verify: 'artisan about --only=cache',
            ),
        )];
    }

    private static function command(string $what, string $verb): string
    {
        return 'artisan '.self::COMMANDS[$what].":{$verb}";
    }
}
