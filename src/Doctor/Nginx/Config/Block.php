<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Config;

/**
 * The directives between two braces, or outside of all blocks; those of included files where they are included.
 *
 * @internal
 */
final class Block
{
    /** @var list<Directive> */
    private array $directives = [];

    /** Only the parser adds. */
    public function add(Directive $directive): void
    {
        $this->directives[] = $directive;
    }

    /** @return list<Directive> */
    public function directives(): array
    {
        return $this->directives;
    }

    /** @return list<Directive> */
    public function named(string $name): array
    {
        return array_values(array_filter(
            $this->directives,
            static fn (Directive $directive): bool => $directive->name === $name,
        ));
    }

    public function first(string $name): ?Directive
    {
        return $this->named($name)[0] ?? null;
    }
}
