<?php

declare(strict_types=1);

namespace Headroom\Preload\Selection;

/**
 * The classes that a strategy requests.
 *
 * @internal
 */
final readonly class RequestedClasses
{
    /**
     * @param array<string, array{file: string, share: float}> $classes by name; classes with a larger share of the
     *     requests are selected first
     */
    public function __construct(public array $classes) {}
}
