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
        $app = $facts->get(Application::class);

        if (! $app->isProduction()) {
            return [Finding::skipped("the environment is {$app->environment}, where a cache would be in the way")];
        }

        $evidence = new Evidence(
            'cache of config',
            $app->isCached('config') ? 'there' : 'missing',
            'artisan about',
        );

        return [$app->isCached('config') ? Finding::pass('the config is cached', $evidence) : Finding::warn(
            'The configuration is not cached.',
            [$evidence],
            'Each request reads .env and every file of config/.',
            new Fix(
                'Make it with each deploy, after the code is in place; `optimize` makes all of L1 to L3.',
                [],
                ['artisan config:cache'],
                'artisan config:clear',
                'artisan about --only=cache',
            ),
        )];
    }
}
