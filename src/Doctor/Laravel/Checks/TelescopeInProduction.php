<?php

declare(strict_types=1);

namespace Headroom\Doctor\Laravel\Checks;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Check;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Layer;
use Headroom\Doctor\Rule;
use Headroom\Doctor\Severity;

/**
 * @internal
 */
final readonly class TelescopeInProduction implements Check
{
    private const PROVIDER = 'Laravel\\Telescope\\TelescopeServiceProvider';

    public function rule(): Rule
    {
        return new Rule(
            'L14',
            'Telescope records each request where users are',
            Severity::High,
            Layer::Laravel,
            'Telescope writes what a request did, each query among it, to the database at the end of the request.'
                .' A page of 3 seconds was reported to take 12 with it.',
            'The provider of Telescope is loaded, `telescope.enabled` is on, and the environment is not local'
                .' or testing.',
            [
                'https://laravel.com/docs/telescope#local-only-installation',
                'https://github.com/laravel/telescope/issues/419',
            ],
            10,
        );
    }

    public function examine(Facts $facts): array
    {
        $app = $facts->get(Application::class);

        if (! in_array(self::PROVIDER, $app->providers, true)) {
            return [Finding::skipped('Telescope is not loaded')];
        }

        if (! $app->isProduction()) {
            return [Finding::skipped("the environment is {$app->environment}")];
        }

        if (! $app->isOn('telescope.enabled')) {
            return [Finding::pass('it is loaded and switched off', $app->evidence('telescope.enabled'))];
        }

        return [Finding::fail(
            'Telescope is loaded and on.',
            [
                $app->evidence('telescope.enabled'),
                new Evidence(
                    'laravel/telescope',
                    $app->packages['laravel/telescope'] ?? 'loaded',
                    'composer show laravel/telescope',
                ),
            ],
            'Each request ends with inserts of all it did, and the table grows without end unless it is pruned.',
            $app->setting(
                'TELESCOPE_ENABLED',
                'false',
                'Switch it off here, and install it for development only.',
                'Set it to true again.',
            ),
        )];
    }
}
