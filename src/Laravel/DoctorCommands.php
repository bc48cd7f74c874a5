<?php

declare(strict_types=1);

namespace Headroom\Laravel;

use Headroom\Cli\Doctor\DoctorCommand;
use Headroom\Cli\Doctor\Probes;
use Headroom\Doctor\Checks\Checks;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Facts\Laravel\Application as Known;
use Illuminate\Contracts\Foundation\Application;
use Symfony\Component\Console\Command\Command;

/**
 * The doctor's commands under their names in artisan, with what only the application knows.
 *
 * @internal
 */
final readonly class DoctorCommands
{
    public function __construct(private Application $app) {}

    /** @return list<Command> */
    public function all(): array
    {
        $commands = [
            new DoctorCommand(Checks::all(), fn (): Facts => new Facts([Known::class => fn (): Known => (new ApplicationProbe($this->app))->facts()] + Probes::ofThisMachine())),
        ];

        foreach ($commands as $command) {
            $command->setName("headroom:{$command->getName()}");
        }

        return $commands;
    }
}
