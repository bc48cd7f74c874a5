<?php

declare(strict_types=1);

namespace Headroom\Process;

use Symfony\Component\Process\Process;

use function trim;

/**
 * The terminal that this process was started in, whatever its output is.
 *
 * @internal
 */
final readonly class Stty
{
    /** @return ?string what stty(1) says; null where there is no terminal, or no stty */
    public static function run(string ...$arguments): ?string
    {
        $stty = Programs::optional('stty');

        if ($stty === null) {
            return null;
        }

        $process = new Process([$stty, '-F', '/dev/tty', ...array_values($arguments)]);

        return ShieldedCommand::run($process) === 0 ? trim($process->getOutput()) : null;
    }
}
