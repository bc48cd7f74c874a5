<?php

declare(strict_types=1);

namespace Headroom\Doctor\Laravel\Checks;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Check;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;

/**
 * @internal
 */
final readonly class EventsOrViewsNotCached implements Check
{
    private const COMMANDS = ['events' => 'artisan event', 'views' => 'artisan view'];

    public function examine(Facts $facts): iterable
    {
        $app = $facts->get(Application::class)->inProduction();
        $evidence = array_map($app->cacheEvidence(...), array_keys(self::COMMANDS));
        $missing = array_filter(
            self::COMMANDS,
            static fn (string $what): bool => ! $app->isCached($what),
            ARRAY_FILTER_USE_KEY,
        );

        yield $missing === [] ? Finding::pass('events and views are cached', ...$evidence) : Finding::warn(
            'Not cached: '.implode(' and ', array_keys($missing)).'.',
            $evidence,
            new Fix(
                commands: array_map(static fn (string $command): string => "{$command}:cache", array_values($missing)),
                rollback: implode(':clear; ', $missing).':clear',
                verify: 'artisan about --only=cache',
            ),
        );
    }
}
