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
     * @param list<string> $ancestors classes that PHP needs to link it: parent, interfaces and traits, also those of
     *     anonymous classes inside (https://github.com/php/php-src/issues/10131)
     */
    public function __construct(public string $name, public array $ancestors) {}
}
