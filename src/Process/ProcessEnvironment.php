<?php

declare(strict_types=1);

namespace Headroom\Process;

/**
 * The environment of a new process.
 *
 * @internal
 */
final readonly class ProcessEnvironment
{
    /**
     * Symfony passes on the whole environment, except variables that are set to false.
     *
     * @param array<string, string> $env the only variables of the process besides PATH
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
