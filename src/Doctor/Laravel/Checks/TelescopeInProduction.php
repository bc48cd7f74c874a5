<?php

declare(strict_types=1);

namespace Headroom\Doctor\Laravel\Checks;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Check;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;

/**
 * @internal
 */
final readonly class TelescopeInProduction implements Check
{
    private const PROVIDER = 'Laravel\\Telescope\\TelescopeServiceProvider';

    public function examine(Facts $facts): iterable
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
