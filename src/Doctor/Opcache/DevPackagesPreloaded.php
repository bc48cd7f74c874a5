<?php

declare(strict_types=1);

namespace Headroom\Doctor\Opcache;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Check;
use Headroom\Doctor\Confidence;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Fpm\FpmPools;
use Headroom\Support\TerminalText;

/**
 * @internal
 */
final readonly class DevPackagesPreloaded implements Check
{
    public function examine(Facts $facts): iterable
    {
        $app = $facts->get(Application::class);

        if (! $app->isProduction()) {
            return [Finding::skipped("the environment is {$app->environment}")];
        }

        $pool = $facts->get(FpmPools::class)->serving($app->basePath) ?? throw FactUnavailable::because(
            'Which PHP-FPM serves the application is not known: none is seen to run a script of it now.',
            'sudo headroom doctor --fpm=ADDRESS   # as listen = of its pool says',
        );

        $preloaded = $pool->runtime()->preloaded();

        if ($preloaded === null || $preloaded->symbols === 0) {
            return [Finding::skipped('nothing is preloaded')];
        }

        $found = array_values(array_filter(
            $app->devPackages,
            static fn (string $name): bool => $preloaded->hasPackage($name),
        ));
        $evidence = [
            new Evidence(
                'packages for development',
                (string) count($app->devPackages),
                'vendor/composer/installed.json',
            ),
            new Evidence(
                'of these preloaded',
                $found === [] ? 'none' : implode(', ', array_slice($found, 0, 5)),
                $pool->runtime()->source,
            ),
        ];

        return [($found === [] ? Finding::pass('none of them is preloaded', ...$evidence) : Finding::warn(
            TerminalText::count(count($found), 'package').' for development '.(count($found) === 1 ? 'is' : 'are')
                .' preloaded.',
            $evidence,
            'They take memory that all processes share, and the list does not fit where they are not installed.',
            new Fix(
                'Install without them, make the list anew, and reload PHP-FPM.',
                [],
                ['composer install --no-dev --classmap-authoritative', 'headroom preload', $pool->reload()],
                'composer install',
                'php artisan headroom:doctor --only=O16',
            ),
        ))->restingOn(Confidence::Observed)];
    }
}
