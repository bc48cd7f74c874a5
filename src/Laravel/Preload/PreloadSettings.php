<?php

declare(strict_types=1);

namespace Headroom\Laravel\Preload;

use Illuminate\Contracts\Config\Repository;
use Illuminate\Contracts\Foundation\Application;

/**
 * The settings as the application has them. Where it stores things it may have said anywhere, so that a file of settings, which
 * is also read without an application, does not say it.
 *
 * @internal
 */
final readonly class PreloadSettings
{
    /** @return array<array-key, mixed> */
    public static function of(Application $app): array
    {
        $settings = (array) $app->make(Repository::class)->get('headroom.preload', []);

        return in_array($settings['samples'] ?? '', ['', null], true) ? ['samples' => $app->storagePath('framework/headroom-preload')] + $settings : $settings;
    }
}
