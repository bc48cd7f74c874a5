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
final readonly class ConfigNotCached implements Check
{
    public function rule(): Rule
    {
        return new Rule(
            'L1',
            'The configuration is not cached',
            Severity::Medium,
            Layer::Laravel,
            'Laravel puts its configuration together anew in each request unless it is cached:'
                .' it reads .env and every file of config/, which is work for the CPU of every request and none that a'
                .' user asked for.',
            'The environment is not local or testing, and the file that `php artisan config:cache` writes'
                .' is not there.',
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
            'cache of config',
            $app->isCached('config') ? 'there' : 'missing',
            'php artisan about',
        );

        return [$app->isCached('config') ? Finding::pass('the config is cached', $evidence) : Finding::warn(
            'The configuration is not cached.',
            [$evidence],
            'Each request reads .env and every file of config/.',
            new Fix(
                'Make it with each deploy, after the code is in place; `php artisan optimize` makes all of L1 to L3.',
                [],
                ['php artisan config:cache'],
                'php artisan config:clear',
                'php artisan about --only=cache',
            ),
        )];
    }
}
