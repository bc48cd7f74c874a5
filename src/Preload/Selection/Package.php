<?php

declare(strict_types=1);

namespace Headroom\Preload\Selection;

/**
 * A package that Composer has installed.
 *
 * @internal
 */
final readonly class Package
{
    /** @param string $folder relative to the root, without a slash at its end */
    public function __construct(public string $name, public string $folder, public bool $isDev) {}

    public function has(string $file): bool
    {
        return str_starts_with($file, "{$this->folder}/");
    }
}
