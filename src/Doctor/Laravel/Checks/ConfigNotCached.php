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
final readonly class ConfigNotCached implements Check
{
    public function examine(Facts $facts): iterable
    {
        $app = $facts->get(Application::class)->inProduction();
        $isCached = $app->isCached('config');
        $evidence = new Evidence('cache of config', $isCached ? 'exists' : 'missing', 'artisan about');

        return [$isCached ? Finding::pass('the config is cached', $evidence) : Finding::warn(
            'The configuration is not cached.',
            [$evidence],
            'Each request reads .env and every file of config/.',
            new Fix(
                'Cache it with each deploy, after the code is in place. `artisan optimize` creates all caches'
                    .' of L1 to L3.',
                commands: ['artisan config:cache'],
                rollback: 'artisan config:clear',
                verify: 'artisan about --only=cache',
            ),
        )];
    }
}
