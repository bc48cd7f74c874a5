<?php

declare(strict_types=1);

namespace Headroom\Cli\Preload;

use Closure;

/**
 * Other applications that the PHP-FPM of this one serves as well.
 *
 * @internal
 */
final readonly class Neighbours
{
    /** @param Closure(string $root): array<string, string> $find how each was found, by its root */
    public function __construct(private Closure $find) {}

    public static function ofThisMachine(): self
    {
        return new self(static fn (string $root): array => []);
    }

    /** @return array<string, string> how each was found, by its root */
    public function of(string $root): array
    {
        return ($this->find)($root);
    }
}
