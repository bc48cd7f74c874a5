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
final readonly class RoutesNotCached implements Check
{
    public function examine(Facts $facts): iterable
    {
        $app = $facts->get(Application::class)->inProduction();
        $evidence = $app->cacheEvidence('routes');

        yield $app->isCached('routes') ? Finding::pass('the routes are cached', $evidence) : Finding::warn(
            'The routes are not cached.',
            [$evidence],
            new Fix('', [], ['artisan route:cache'], 'artisan route:clear', 'artisan about --only=cache'),
        );
    }
}
