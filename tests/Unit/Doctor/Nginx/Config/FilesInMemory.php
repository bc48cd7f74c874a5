<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Nginx\Config;

use Headroom\Doctor\Nginx\Config\ConfigFiles;

final readonly class FilesInMemory implements ConfigFiles
{
    /** @param array<string, string> $texts by path */
    public function __construct(private array $texts) {}

    public function text(string $path): ?string
    {
        return $this->texts[$path] ?? null;
    }

    public function matching(string $pattern): array
    {
        $paths = array_values(array_filter(
            array_keys($this->texts),
            static fn (string $path): bool => fnmatch($pattern, $path, FNM_PATHNAME),
        ));
        sort($paths, SORT_STRING);

        return $paths;
    }
}
