<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx;

/**
 * Runs a command of nginx and waits for its end.
 *
 * @internal
 */
interface CommandRunner
{
    /** @param non-empty-list<string> $command */
    public function run(array $command): NginxOutput;
}
