<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\WriteBuffer;

use Composer\Autoload\ClassLoader;
use Illuminate\Foundation\Application;
use RuntimeException;

/**
 * Composer's class map, as a deployment has it: without it a request looks for each class in directories, which is a
 * fifth more instructions.
 */
final class ClassMap
{
    public static function require(): void
    {
        foreach (ClassLoader::getRegisteredLoaders() as $loader) {
            if (isset($loader->getClassMap()[Application::class])) {
                return;
            }
        }

        throw new RuntimeException(
            'Composer has no map of classes here, as it has where an application is deployed. Run:'
                .' composer dump-autoload --optimize',
        );
    }
}
