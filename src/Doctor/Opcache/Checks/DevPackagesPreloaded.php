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
use Headroom\Support\TerminalText;

/**
 * @internal
 */
final readonly class DevPackagesPreloaded implements Check
{
    private const MAX_SHOWN = 5;

    public function examine(Facts $facts): iterable
    {
        $app = $facts->get(Application::class);

        if (! $app->isProduction()) {
            return [Finding::skipped("the environment is {$app->environment}")];
        }

        $pool = $facts->get(FpmPools::class)->serving($app->basePath) ?? throw FactUnavailable::because(
            'No process of PHP-FPM runs a script of this application now, so its pool is not known.',
            'sudo headroom doctor --fpm=ADDRESS   # as listen = of its pool',
        );

        return [self::ofPool($pool, $app)];
    }

    private static function ofPool(FpmPool $pool, Application $app): Finding
    {
        $runtime = $pool->runtime();
        $preloaded = $runtime->preloaded();

        if ($preloaded === null || $preloaded->symbols === 0) {
            return Finding::skipped('nothing is preloaded');
        }

        $found = array_values(array_filter($app->devPackages, $preloaded->hasPackage(...)));
        $evidence = [
            new Evidence(
                'packages for development',
                (string) count($app->devPackages),
                'vendor/composer/installed.json',
            ),
            $runtime->observed(
                'of these preloaded',
                $found === [] ? 'none' : implode(', ', array_slice($found, 0, self::MAX_SHOWN)),
            ),
        ];

        return ($found === [] ? Finding::pass('none of them is preloaded', ...$evidence) : Finding::warn(
            TerminalText::count(count($found), 'package').' for development '.(count($found) === 1 ? 'is' : 'are')
                .' preloaded.',
            $evidence,
            'These packages take memory that all processes share, and the list fails where they are not installed.',
            new Fix(
                'Install without them, create the list again, and reload PHP-FPM.',
                commands: ['composer install --no-dev --optimize-autoloader', 'headroom preload', $pool->reload()],
                rollback: 'Run `composer install`.',
            ),
        ))->observed();
    }
}
