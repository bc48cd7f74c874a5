<?php

declare(strict_types=1);

namespace Headroom\Preload\Selection;

/**
 * What a file declares, and whether it does anything else.
 *
 * @internal
 */
final readonly class SourceFile
{
    /**
     * @param list<Declaration> $declarations
     * @param list<string> $hints classes that it asks for by class_exists(), maybe for what their files do
     * @param ?string $impurity what else it does when it is included, null when it only declares: compiled without
     *                          being run, it would leave that undone, and as the class is there
     *                          nobody includes it any more
     */
    public function __construct(public array $declarations, public ?string $impurity, public array $hints = []) {}
}
