<?php

declare(strict_types=1);

namespace Headroom\Doctor\Laravel\Checks;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Check;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;

/**
 * @internal
 */
final readonly class UnoptimizedAutoloader implements Check
{
    public function examine(Facts $facts): iterable
    {
        $app = $facts->get(Application::class);

        if (! $app->isProduction()) {
            return [Finding::skipped("the environment is {$app->environment}")];
        }

        $evidence = new Evidence('classes of the framework in the class map', match ($app->isOptimized) {
            true => 'yes',
            false => 'no',
            null => throw FactUnavailable::because(
                'There is no vendor/composer/autoload_classmap.php below the application.',
                'composer dump-autoload --optimize --dry-run',
            ),
        }, 'vendor/composer/autoload_classmap.php');

        return [$app->isOptimized ? Finding::pass('it knows where classes are', $evidence) : Finding::warn(
            'The class map is not optimized.',
            [$evidence],
            'Each request asks the file system for hundreds of files.',
            new Fix(
                'Optimize it with each deploy.',
                [],
                ['composer install --no-dev --optimize-autoloader'],
                'composer install',
            ),
        )];
    }
}
