<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx;

/**
 * Runs a program and waits for it.
 *
 * @internal
 */
interface Command
{
    /** @param non-empty-list<string> $command */
    public function run(array $command): CommandOutput;
}
