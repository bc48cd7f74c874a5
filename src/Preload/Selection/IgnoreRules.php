<?php

declare(strict_types=1);

namespace Headroom\Preload\Selection;

/**
 * The setting `ignore`: directories and files relative to the root, namespaces and classes that are never preloaded.
 *
 * @internal
 */
final readonly class IgnoreRules
{
    /** @param list<string> $names */
    public function __construct(private array $names) {}

    /** @return ?string the matching entry */
    public function reason(string $class, string $file): ?string
    {
        foreach ($this->names as $name) {
            $path = trim(str_starts_with($name, './') ? substr($name, 2) : $name, '/');
            $namespace = strtolower(trim($name, '\\'));
            $class = strtolower($class);

            if (
                $file === $path
                || str_starts_with($file, "{$path}/")
                || $class === $namespace
                || str_starts_with($class, "{$namespace}\\")
            ) {
                return $name;
            }
        }

        return null;
    }
}
