<?php

declare(strict_types=1);

namespace Headroom\Process;

use Symfony\Component\Process\Process;

/**
 * Controls the terminal of this process, even if the output goes elsewhere.
 *
 * @internal
 */
final readonly class Stty
{
    /** @return ?string output of stty(1); null without a terminal or without stty */
    public static function run(string ...$arguments): ?string
    {
        $stty = Programs::optional('stty');

        if ($stty === null) {
            return null;
        }

        $process = new Process([$stty, '-F', '/dev/tty', ...array_values($arguments)]);

        return SignalMaskedCommand::run($process) === 0 ? trim($process->getOutput()) : null;
    }
}
