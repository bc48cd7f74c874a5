<?php

declare(strict_types=1);

namespace Headroom\Tests\Architecture;

use ReflectionClass;
use ReflectionMethod;
use ReflectionNamedType;
use ReflectionType;
use ReflectionUnionType;

/**
 * The registry of public classes, docs/public-api.md, and what contradicts it.
 */
final readonly class PublicApi
{
    /** @param list<string> $names */
    private function __construct(public array $names) {}

    /** Rows that begin with a class name in backticks; any other table is left alone. */
    public static function fromMarkdown(string $text): self
    {
        preg_match_all('/^\| `(Headroom\\\\[\w\\\\]+)` \|/m', $text, $rows);

        return new self($rows[1]);
    }

    /** @return list<string> rows whose version or purpose is missing */
    public static function incompleteRows(string $text): array
    {
        preg_match_all('/^\| `Headroom\\\\.*$/m', $text, $rows);

        return array_values(array_filter(
            $rows[0],
            static fn (string $row): bool => preg_match('/^\| `[\w\\\\]+` \| \d+\.\d+ \| \S[^|]* \|$/', $row) === 0,
        ));
    }

    /**
     * @param list<string> $classes all there are
     * @return list<string>
     */
    public function contradictions(array $classes): array
    {
        $found = [];

        foreach (array_diff_assoc($this->names, array_unique($this->names)) as $twice) {
            $found[] = "{$twice} is named twice.";
        }

        foreach (array_diff($this->names, $classes) as $gone) {
            $found[] = "{$gone} is named and does not exist.";
        }

        foreach ($classes as $class) {
            array_push($found, ...$this->contradictionsOf($class));
        }

        return $found;
    }

    /** @return list<string> */
    private function contradictionsOf(string $class): array
    {
        if (! class_exists($class) && ! interface_exists($class) && ! trait_exists($class)) {
            return ["{$class} cannot be loaded from the file of that name."];
        }

        $reflection = new ReflectionClass($class);
        $public = in_array($class, $this->names, true);
        $internal = self::isInternal($reflection);

        return match (true) {
            $public && $internal => ["{$class} is named and says @internal."],
            ! $public && ! $internal => ["{$class} is not named and does not say @internal."],
            $public => $this->shownBy($reflection),
            default => [],
        };
    }

    /**
     * @param ReflectionClass<object> $class
     * @return list<string> what it shows of ours that is not public itself
     */
    private function shownBy(ReflectionClass $class): array
    {
        $shown = [];

        foreach ($class->getMethods() as $method) {
            if ($method->isPublic() && str_starts_with($method->class, 'Headroom\\') && ! self::isInternal($method)) {
                $shown[$method->getName().'()'] = [
                    $method->getReturnType(),
                    ...array_map(static fn ($parameter) => $parameter->getType(), $method->getParameters()),
                ];
            }
        }

        foreach ($class->getProperties() as $property) {
            if ($property->isPublic() && str_starts_with($property->class, 'Headroom\\')) {
                $shown['$'.$property->getName()] = [$property->getType()];
            }
        }

        $found = [];

        foreach ($shown as $member => $types) {
            foreach (array_diff(array_merge(...array_map($this->ours(...), $types)), $this->names) as $type) {
                $found[] = "{$class->getName()} is named and its {$member} shows {$type}, which is not.";
            }
        }

        return $found;
    }

    /** @param ReflectionClass<object>|ReflectionMethod $what */
    private static function isInternal(ReflectionClass|ReflectionMethod $what): bool
    {
        return preg_match('/^[\s*\/]*@internal\b/m', (string) $what->getDocComment()) === 1;
    }

    /** @return list<string> */
    private function ours(?ReflectionType $type): array
    {
        return match (true) {
            $type instanceof ReflectionUnionType => array_merge(...array_map($this->ours(...), $type->getTypes())),
            $type instanceof ReflectionNamedType
                && str_starts_with($type->getName(), 'Headroom\\') => [$type->getName()],
            default => [],
        };
    }
}
