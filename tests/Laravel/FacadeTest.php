<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Laravel\Facades\Buffer as Facade;
use Headroom\Laravel\Facades\FileSystemBuffer;
use Headroom\Spool\Buffer;
use Headroom\Spool\Compat\CallbackBuffer;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use ReflectionClass;
use ReflectionMethod;

#[Group('smoke')]
final class FacadeTest extends TestCase
{
    /**
     * @param class-string $facade
     * @param class-string $behind
     */
    #[Test]
    #[TestWith([Facade::class, Buffer::class])]
    #[TestWith([FileSystemBuffer::class, CallbackBuffer::class])]
    public function its_docblock_names_the_methods_of_the_buffer_with_their_parameters(
        string $facade,
        string $behind,
    ): void {
        $parameters = static fn (ReflectionMethod $method): string => implode(
            ', ',
            array_map(static fn ($parameter): string => '$'.$parameter->getName(), $method->getParameters()),
        );
        $promised = array_filter(
            (new ReflectionClass($behind))->getMethods(ReflectionMethod::IS_PUBLIC),
            static fn (ReflectionMethod $method): bool => ! $method->isStatic()
                && ! str_contains((string) $method->getDocComment(), '@internal'),
        );
        $methods = array_values(array_map(
            static fn (ReflectionMethod $method): string => "{$method->getName()}({$parameters($method)})",
            $promised,
        ));

        preg_match_all(
            '/@method static \S+ (\w+)\((.*)\)$/m',
            (string) (new ReflectionClass($facade))->getDocComment(),
            $found,
            PREG_SET_ORDER,
        );
        $documented = array_map(static function (array $match): string {
            preg_match_all('/\$\w+/', $match[2], $names);

            return "{$match[1]}(".implode(', ', $names[0]).')';
        }, $found);

        self::assertSame($methods, $documented);
    }
}
