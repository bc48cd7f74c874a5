<?php

declare(strict_types=1);

namespace Headroom\Preload\Selection;

/**
 * Classes that a strategy wants, and how much.
 *
 * @internal
 */
final readonly class RequestedClasses
{
    /**
     * @param array<string, array{file: string, share: float}> $classes by name; share of requests that use it,
     *     the more the sooner it is taken
     */
    public function __construct(public array $classes) {}
}
