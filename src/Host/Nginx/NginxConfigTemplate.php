<?php

declare(strict_types=1);

namespace Headroom\Host\Nginx;

/**
 * A configuration of a private nginx, except its directory and its port, which are known when it starts.
 *
 * @internal
 */
interface NginxConfigTemplate
{
    /** @param string $directory for its pid file, its error log and its temporary files */
    public function text(string $directory, int $port): string;

    /** @return int<1, max> worker processes */
    public function processes(): int;
}
