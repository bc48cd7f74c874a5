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
    private const FILE = 'vendor/composer/autoload_classmap.php';

    public function examine(Facts $facts): iterable
    {
        $app = $facts->get(Application::class)->inProduction();
        $isOptimized = $app->isOptimized ?? throw FactUnavailable::because(
            'The application has no '.self::FILE.'.',
            'composer dump-autoload --optimize --dry-run',
        );
        $evidence = new Evidence('framework classes in the class map', $isOptimized ? 'yes' : 'no', self::FILE);

        return [$isOptimized ? Finding::pass('the class map is optimized', $evidence) : Finding::warn(
            'The class map is not optimized.',
            [$evidence],
            new Fix(commands: ['composer install --no-dev --optimize-autoloader'], rollback: 'composer install'),
        )];
    }
}
