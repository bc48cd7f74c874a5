<?php

declare(strict_types=1);

namespace Headroom\Preload\Selection;

/**
 * A class, interface, trait or enum that a file declares.
 *
 * @internal
 */
final readonly class Declaration
{
    /**
     * @param string $name with its namespace
     * @param list<string> $ancestors what must be there before it can be linked: parent, interfaces, traits, and those
     *                                of the anonymous classes within it (https://github.com/php/php-src/issues/10131)
     */
    public function __construct(public string $name, public array $ancestors) {}
}
