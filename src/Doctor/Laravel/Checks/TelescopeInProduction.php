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

        $enabled = $app->inProduction()->evidence('telescope.enabled');
        $package = new Evidence(
            'laravel/telescope',
            $app->packages['laravel/telescope'] ?? 'loaded',
            'composer show laravel/telescope',
        );

        return [
            ! $app->isOn('telescope.enabled') ? Finding::pass('Telescope is loaded, but off', $enabled) : Finding::fail(
                'Telescope is loaded and on.',
                [$enabled, $package],
                $app->setting('TELESCOPE_ENABLED', 'false'),
            ),
        ];
    }
}
