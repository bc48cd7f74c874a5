<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Config;

/**
 * Where a configuration's files are read from. Names are compared as nginx writes them: nothing is resolved.
 *
 * @internal
 */
interface ConfigFiles
{
    /** @throws UnableToRead */
    public function text(string $path): string;

    /**
     * @param string $pattern as glob(3) has them
     * @return list<string> in the order in which nginx reads them: by bytes
     *
     * @throws UnableToRead where it can not be told what matches
     */
    public function matching(string $pattern): array;
}
