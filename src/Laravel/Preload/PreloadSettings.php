<?php

declare(strict_types=1);

namespace Headroom\Laravel\Preload;

use Illuminate\Contracts\Config\Repository;
use Illuminate\Contracts\Foundation\Application;

/**
 * The preload settings of the application. The storage path is added here, because the configuration file is also read
 * without an application.
 *
 * @internal
 */
final readonly class PreloadSettings
{
    /** @return array<array-key, mixed> */
    public static function of(Application $app): array
    {
        $settings = (array) $app->make(Repository::class)->get('headroom.preload', []);

        return in_array($settings['samples'] ?? '', ['', null], true)
            ? ['samples' => $app->storagePath('framework/headroom-preload')] + $settings
            : $settings;
    }
}
