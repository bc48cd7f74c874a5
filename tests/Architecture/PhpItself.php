<?php

declare(strict_types=1);

namespace Headroom\Tests\Architecture;

use PHPat\Selector\SelectorInterface;
use PHPStan\Reflection\ClassReflection;
use SensitiveParameter;

/**
 * The classes of PHP and its extensions, which every room may use. phpat's own switch for them would wave the Redis
 * client through as well.
 */
final readonly class PhpItself implements SelectorInterface
{
    public function getName(): string
    {
        return '-PHP-';
    }

    public function matches(ClassReflection $classReflection): bool
    {
        // If a tool loads a polyfill of a function, PHP reports the function as the tool's.
        if ($classReflection->getName() === SensitiveParameter::class) {
            return true;
        }

        return $classReflection->isBuiltin() && preg_match(Rooms::REDIS_CLIENT, $classReflection->getName()) !== 1;
    }
}
