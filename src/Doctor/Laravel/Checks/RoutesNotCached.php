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
        $app = $facts->get(Application::class)->inProduction();
        $isCached = $app->isCached('routes');
        $evidence = new Evidence('cache of routes', $isCached ? 'exists' : 'missing', 'artisan about');

        return [$isCached ? Finding::pass('the routes are cached', $evidence) : Finding::warn(
            'The routes are not cached.',
            [$evidence],
            'Each request registers every route before it finds its own.',
            new Fix(
                'Cache them with each deploy, after the code is in place. `artisan optimize` creates all caches'
                    .' of L1 to L3.',
                commands: ['artisan route:cache'],
                rollback: 'artisan route:clear',
                verify: 'artisan about --only=cache',
            ),
        )];
    }
}
