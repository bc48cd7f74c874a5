<?php

declare(strict_types=1);

namespace Headroom\Preload\Selection;

/**
 * The classes that a file declares, and whether it does anything else.
 *
 * @internal
 */
final readonly class SourceFile
{
    /**
     * @param list<Declaration> $declarations
     * @param ?string $impurity what else the file does when it is included; null if it only declares classes. A file
     *     that is compiled and not run does not do that, and no autoloader includes it later, because its classes exist
     * @param list<string> $hints classes that it loads by class_exists(), maybe for a side effect of their files
     */
    public function __construct(public array $declarations, public ?string $impurity, public array $hints = []) {}
}
