<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx;

use Headroom\Process\ShieldedCommand;
use Symfony\Component\Process\Exception\ExceptionInterface;
use Symfony\Component\Process\Process;

/**
 * @internal
 */
final readonly class ProcessCommand implements Command
{
    /** nginx waits for a name server that does not answer, and waits forever to open a pipe without a reader. */
    private const SECONDS = 5;

    public function run(array $command): CommandOutput
    {
        try {
            $process = new Process($command, null, ['LC_ALL' => 'C'], null, self::SECONDS);
            $code = ShieldedCommand::run($process);

            return new CommandOutput($code, $process->getOutput(), $process->getErrorOutput());
        } catch (ExceptionInterface $e) {
            return new CommandOutput(null, '', $e->getMessage());
        }
    }
}
