<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Config;

/**
 * Where a configuration's files are read from. Names are compared as nginx writes them: links are not resolved.
 *
 * @internal
 */
interface ConfigFiles
{
    /** Null where it cannot be read. */
    public function text(string $path): ?string;

    /**
     * @param string $pattern as glob(3) has them
     * @return ?list<string> in the order in which nginx reads them: by bytes; null where a directory cannot be listed
     */
    public function matching(string $pattern): ?array;
}
