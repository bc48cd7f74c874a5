<?php

declare(strict_types=1);

namespace Headroom\Collector\Ingest;

use function array_fill_keys;
use function array_filter;
use function array_values;
use function str_ends_with;
use function str_starts_with;
use function substr;

/**
 * A set of names and of prefixes with a * at the end.
 *
 * @internal
 */
final readonly class WildcardNames
{
    /** @var array<string, true> */
    private array $names;

    /** @var list<string> */
    private array $prefixes;

    /** @param list<string> $patterns */
    public function __construct(array $patterns)
    {
        $this->names = array_fill_keys($patterns, true);
        $this->prefixes = array_values(array_map(
            static fn (string $pattern): string => substr($pattern, 0, -1),
            array_filter($patterns, static fn (string $pattern): bool => str_ends_with($pattern, '*')),
        ));
    }

    public function matches(string $name): bool
    {
        if (isset($this->names[$name])) {
            return true;
        }

        foreach ($this->prefixes as $prefix) {
            if (str_starts_with($name, $prefix)) {
                return true;
            }
        }

        return false;
    }
}
