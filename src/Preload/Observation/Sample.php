<?php

declare(strict_types=1);

namespace Headroom\Preload\Observation;

use ReflectionClass;

/**
 * The classes, interfaces, traits and enums that one request has declared and that have a file.
 *
 * If PHP preloads, it declares each preloaded class whether a request uses it or not. Such a sample has the other
 * classes only, and lists the preloaded ones separately.
 *
 * @internal
 */
final readonly class Sample
{
    /**
     * @param list<string> $classes
     * @param ?list<string> $preloaded null if this PHP does not preload
     * @param ?string $route route of the application, such as documents/{document}
     * @param ?string $page path of a GET request without its query, which may have a secret
     */
    public function __construct(
        public array $classes,
        public ?array $preloaded = null,
        public ?string $route = null,
        public ?string $page = null,
    ) {}

    /**
     * Loads no class of the application.
     *
     * @param list<string> $except classes that only sampling has loaded
     * @return ?self null if opcache.restrict_api or disable_functions hides what a PHP with opcache.preload preloads
     */
    public static function ofThisProcess(?string $route = null, ?string $page = null, array $except = []): ?self
    {
        $preloaded = self::preloaded();

        if ($preloaded === null) {
            return null;
        }

        $except = array_flip([self::class, ...$except]);
        $known = $used = [];

        foreach ([get_declared_classes(), get_declared_interfaces(), get_declared_traits()] as $names) {
            foreach ($names as $name) {
                $class = new ReflectionClass($name);

                if ($class->isInternal() || isset($except[$class->name]) || self::hasNoFile($class)) {
                    continue;
                }

                // PHP also lists aliases, in lower case.
                isset($preloaded[strtolower($class->name)]) ? $known[$class->name] = true : $used[$class->name] = true;
            }
        }

        return new self(array_keys($used), $preloaded === [] ? null : array_keys($known), $route, $page);
    }

    /** @param ReflectionClass<object> $class */
    private static function hasNoFile(ReflectionClass $class): bool
    {
        // The name of an anonymous class has a NUL; the file of a class from eval() is "a.php(7) : eval()'d code".
        return str_contains($class->name, "\0") || str_contains((string) $class->getFileName(), "eval()'d code");
    }

    /** @return array<array-key, mixed>|false */
    private static function status(): array|false
    {
        // opcache.restrict_api causes a warning, and some error handlers throw an exception despite the @ operator.
        set_error_handler(static fn (): bool => true);

        try {
            return function_exists('opcache_get_status') ? opcache_get_status(false) : false;
        } finally {
            restore_error_handler();
        }
    }

    /** @return ?array<string, true> by class in lower case; null if PHP does not tell */
    private static function preloaded(): ?array
    {
        // A pool may show another opcache.preload than the one that its master has used, so the status takes
        // precedence.
        $status = self::status();

        if ($status === false) {
            return (string) ini_get('opcache.preload') === '' ? [] : null;
        }

        $statistics = $status['preload_statistics'] ?? null;
        $classes = is_array($statistics) && is_array($statistics['classes'] ?? null) ? $statistics['classes'] : [];
        $index = [];

        foreach ($classes as $class) {
            if (is_string($class)) {
                $index[strtolower($class)] = true;
            }
        }

        return $index;
    }
}
