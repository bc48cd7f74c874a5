<?php

declare(strict_types=1);

namespace Headroom\Tests\Support\Documents;

use Illuminate\Support\Facades\Facade;
use PhpParser\Error;
use ReflectionClass;
use ReflectionMethod;
use ReflectionNamedType;

/**
 * Holds the names in a block of PHP to the classes that exist: a reader who pastes the block must not get "Class not
 * found".
 */
final readonly class PhpNames
{
    /** Classes of a new Laravel application, and packages that a page may show although the tests have none of them. */
    private const ELSEWHERE = '~\A(?:App\\\\Models\\\\User|App\\\\Http\\\\Controllers\\\\Controller|Tests\\\\TestCase'
        .'|Spatie\\\\.+|Laravel\\\\Octane\\\\.+|Deployer\\\\.+|Sentry\\\\.+)\z~';

    /** @param list<string> $declared classes that pages show */
    public function __construct(private array $declared) {}

    /**
     * @param list<string> $others classes that the page declares in other blocks
     * @return list<string>
     */
    public function faults(string $code, array $others = []): array
    {
        try {
            $php = PhpCode::parse($code);
        } catch (Error $e) {
            return ["It is no PHP: {$e->getMessage()}."];
        }

        $faults = [];

        foreach ($php->used() as $class => $isImported) {
            if (! $this->exists($class, $isImported, [...$php->declared(), ...$others])) {
                $faults[] = "There is no class {$class}: the block needs a `use` line, or the name is wrong.";
            }
        }

        foreach ($php->staticCalls() as [$class, $method]) {
            if (self::isKnown($class) && ! self::answers($class, $method)) {
                $faults[] = "There is no {$class}::{$method}().";
            }
        }

        foreach ($php->chains() as [$class, $methods]) {
            $faults = [...$faults, ...self::missingIn($class, $methods)];
        }

        return array_values(array_unique($faults));
    }

    /**
     * @param list<string> $methods
     * @return list<string>
     */
    private static function missingIn(string $class, array $methods): array
    {
        foreach ($methods as $method) {
            // Other packages have methods that only they know: macros, higher-order proxies, query builders.
            if (! class_exists($class) || ! str_starts_with($class, 'Headroom\\')) {
                return [];
            }

            if (! self::answers($class, $method)) {
                return ["There is no {$class}::{$method}()."];
            }

            $class = self::returned($class, $method);
        }

        return [];
    }

    /**
     * @param class-string $class
     * @return string class of the result; '' if it is unknown
     */
    private static function returned(string $class, string $method): string
    {
        if (method_exists($class, $method)) {
            $type = (new ReflectionMethod($class, $method))->getReturnType();
            $name = $type instanceof ReflectionNamedType ? $type->getName() : '';

            return in_array($name, ['self', 'static'], true) ? $class : $name;
        }

        preg_match("/@method static \\\\?([\\w\\\\]+) {$method}\\(/", self::comments($class), $found);
        $name = $found[1] ?? '';
        // A short name in a comment is that of an import of the facade.
        $inSpool = "Headroom\\Spool\\{$name}";

        return class_exists($inSpool) ? $inSpool : $name;
    }

    /** @param list<string> $own */
    private function exists(string $class, bool $isImported, array $own): bool
    {
        return self::isKnown($class)
            || in_array($class, $own, true)
            || in_array($class, $this->declared, true)
            || preg_match(self::ELSEWHERE, $class) === 1
            // The reader's own class, named in full: the application has it.
            || ($isImported && preg_match('/\A(?:App|Tests|Database)\\\\/', $class) === 1)
            || in_array(strtolower($class), ['self', 'static', 'parent'], true);
    }

    private static function isKnown(string $class): bool
    {
        return class_exists($class) || interface_exists($class) || trait_exists($class) || enum_exists($class);
    }

    private static function answers(string $class, string $method): bool
    {
        if (! class_exists($class) || method_exists($class, $method)) {
            return true;
        }

        if (is_subclass_of($class, Facade::class)) {
            return preg_match("/@method static .*?\\b{$method}\\(/", self::comments($class)) === 1;
        }

        return method_exists($class, '__callStatic');
    }

    /** @param class-string $class */
    private static function comments(string $class): string
    {
        return (string) (new ReflectionClass($class))->getDocComment();
    }
}
