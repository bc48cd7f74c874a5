<?php

declare(strict_types=1);

namespace Headroom\Doctor\Opcache\Checks;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Check;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\FpmPools;

/**
 * @internal
 */
final readonly class DevPackagesPreloaded implements Check
{
    private const MAX_SHOWN = 5;

    public function examine(Facts $facts): iterable
    {
        $app = $facts->get(Application::class)->inProduction();
        $pool = $facts->get(FpmPools::class)->serving($app->basePath) ?? throw FactUnavailable::because(
            'No process of PHP-FPM runs a script of this application now, so its pool is not known.',
            'sudo headroom doctor --fpm=ADDRESS   # as listen = of its pool',
        );

        yield self::ofPool($pool, $app);
    }

    private static function ofPool(FpmPool $pool, Application $app): Finding
    {
        $runtime = $pool->runtime();
        $preloaded = $runtime->preloaded();

        if ($preloaded === null || $preloaded->symbols === 0) {
            return Finding::skipped('nothing is preloaded');
        }

        $installed = $app->devPackages;
        $found = array_values(array_filter($installed, $preloaded->hasPackage(...)));
        $shown = $found === [] ? 'none' : implode(', ', array_slice($found, 0, self::MAX_SHOWN));
        $evidence = [
            new Evidence('packages for development', (string) count($installed), 'vendor/composer/installed.json'),
            $runtime->observed('of these preloaded', $shown),
        ];

        return ($found === [] ? Finding::pass('none of them is preloaded', ...$evidence) : Finding::warn(
            'Packages for development that are preloaded: '.count($found).'.',
            $evidence,
            new Fix(
                commands: ['composer install --no-dev --optimize-autoloader', 'headroom preload', $pool->reload()],
                rollback: 'Run `composer install`.',
            ),
        ))->observed();
    }
}
