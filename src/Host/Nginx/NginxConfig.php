<?php

declare(strict_types=1);

namespace Headroom\Host\Nginx;

/**
 * The settings of a private nginx.
 *
 * @internal
 */
interface NginxConfig
{
    /** @param string $directory for its pid file, its error log and its temporary files */
    public function text(string $directory, int $port): string;

    /** @return int<1, max> worker processes */
    public function processes(): int;
}
