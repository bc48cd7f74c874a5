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
final readonly class ConfigNotCached implements Check
{
    public function examine(Facts $facts): iterable
    {
        $app = $facts->get(Application::class)->inProduction();
        $evidence = $app->cacheEvidence('config');

        yield $app->isCached('config') ? Finding::pass('the config is cached', $evidence) : Finding::warn(
            'The configuration is not cached.',
            [$evidence],
            new Fix('', [], ['artisan config:cache'], 'artisan config:clear', 'artisan about --only=cache'),
        );
    }
}
