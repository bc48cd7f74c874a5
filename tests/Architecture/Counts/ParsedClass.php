<?php

declare(strict_types=1);

namespace Headroom\Tests\Architecture\Counts;

/**
 * A class, interface, trait or enum as its file declares it.
 */
final readonly class ParsedClass
{
    /** @param list<string> $parents classes and interfaces by their full names */
    public function __construct(public string $name, public array $parents, public int $constructorParameters) {}

    public function shortName(): string
    {
        return substr((string) strrchr('\\'.$this->name, '\\'), 1);
    }
}
