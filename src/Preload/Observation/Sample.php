<?php

declare(strict_types=1);

namespace Headroom\Preload\Observation;

use ReflectionClass;

use function array_flip;
use function function_exists;
use function get_declared_classes;
use function get_declared_interfaces;
use function get_declared_traits;
use function ini_get;
use function is_array;
use function opcache_get_status;
use function str_contains;
use function strtolower;

/**
 * What one request has used: the classes, interfaces, traits and enums that it declared and that have a file.
 *
 * Where PHP preloads, everything preloaded is declared whether it is used or not. Such a sample has the other classes
 * only, and says which ones nothing is known about.
 *
 * @internal
 */
final readonly class Sample
{
    /**
     * @param list<string> $classes
     * @param ?list<string> $preloaded null: this PHP does not preload
     * @param ?string $route how the application calls what answered: documents/{document}
     * @param ?string $page path of a GET, without its query, which may hold a secret
     */
    public function __construct(
        public array $classes,
        public ?array $preloaded = null,
        public ?string $route = null,
        public ?string $page = null,
    ) {}

    /**
     * Takes no class of the application that is not there yet.
     *
     * @param list<string> $except classes that are there because a sample is taken
     * @return ?self null when PHP is told to preload and does not tell what: opcache.restrict_api, disable_functions
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

                // An alias is listed too, in small letters.
                isset($preloaded[strtolower($class->name)]) ? $known[$class->name] = true : $used[$class->name] = true;
            }
        }

        return new self(array_keys($used), $preloaded === [] ? null : array_keys($known), $route, $page);
    }

    /** @param ReflectionClass<object> $class */
    private static function hasNoFile(ReflectionClass $class): bool
    {
        // The name of an anonymous class has a NUL; what eval() made is in "a.php(7) : eval()'d code".
        return str_contains($class->name, "\0") || str_contains((string) $class->getFileName(), "eval()'d code");
    }

    /** @return array<array-key, mixed>|false */
    private static function status(): array|false
    {
        // opcache.restrict_api warns, and some error handlers throw whatever @ says.
        set_error_handler(static fn (): bool => true);

        try {
            return function_exists('opcache_get_status') ? opcache_get_status(false) : false;
        } finally {
            restore_error_handler();
        }
    }

    /** @return ?array<string, true> in small letters, as keys; null when nobody knows */
    private static function preloaded(): ?array
    {
        // A pool can show another opcache.preload than the one that its master has followed,
        // so the setting comes second.
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
