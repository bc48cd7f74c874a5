<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Config;

/**
 * What stands between braces, or in the configuration as a whole; with what was included, where it was included.
 *
 * @internal
 */
final class Block
{
    /** @var list<Directive> */
    private array $directives = [];

    /** Why a file that is included in it is not read. */
    private ?string $unread = null;

    /** Only the parser tells. */
    public function lacks(string $why): void
    {
        $this->unread ??= $why;
    }

    public function unread(): ?string
    {
        return $this->unread;
    }

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
        foreach ($this->directives as $directive) {
            if ($directive->name === $name) {
                return $directive;
            }
        }

        return null;
    }
}
