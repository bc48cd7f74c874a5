<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Kernel\ExternalProgram;

/**
 * @internal
 */
final readonly class ProcessCommandRunner implements CommandRunner
{
    /**
     * nginx -T waits for a resolver if the configuration names hosts, and waits forever if the configuration logs into
     * a pipe that no process reads.
     */
    private const SECONDS = 5;

    public function run(array $command): NginxOutput
    {
        try {
            $ended = (new ExternalProgram(self::SECONDS))->run($command, implode(' ', $command));

            return new NginxOutput($ended->code, $ended->output, $ended->errors);
        } catch (FactUnavailable $e) {
            return new NginxOutput(null, '', $e->getMessage());
        }
    }
}
