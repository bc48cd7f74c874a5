<?php

declare(strict_types=1);

namespace Headroom\Process;

/**
 * @internal
 */
final readonly class ProcessEnvironment
{
    /**
     * Symfony hands the whole environment on unless a variable is set to false.
     *
     * @param array<string, string> $env all that the process is to have, besides PATH
     * @return array<string, string|false>
     */
    public static function exactly(array $env): array
    {
        $inherited = array_keys(getenv() + $_ENV);
        $path = getenv('PATH');

        return $env
            + ['PATH' => $path === false ? '/usr/sbin:/usr/bin:/sbin:/bin' : $path]
            + array_fill_keys(array_map(strval(...), $inherited), false);
    }
}
