<?php

declare(strict_types=1);

namespace Headroom\Laravel;

use Headroom\Cli\Logs\ErrorlogCommand;
use Headroom\Cli\Logs\SlowlogCommand;
use Symfony\Component\Console\Command\Command;

/**
 * The commands that find bottlenecks, under their names in artisan.
 *
 * @internal
 */
final readonly class DoctorCommands
{
    /** @return list<Command> */
    public static function all(): array
    {
        $commands = [new SlowlogCommand, new ErrorlogCommand];

        foreach ($commands as $command) {
            $command->setName("headroom:{$command->getName()}");
        }

        return $commands;
    }
}
