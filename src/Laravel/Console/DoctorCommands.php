<?php

declare(strict_types=1);

namespace Headroom\Laravel\Console;

use Closure;
use Headroom\Console\Doctor\DoctorCommand;
use Headroom\Console\Doctor\Probes;
use Headroom\Console\Doctor\TopCommand;
use Headroom\Console\Logs\ErrorlogCommand;
use Headroom\Console\Logs\SlowlogCommand;
use Headroom\Console\SelfCommand;
use Headroom\Core\SystemClock;
use Headroom\Doctor\Checks\Checks;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Facts\Database\DatabaseServer;
use Headroom\Doctor\Facts\Database\DatabaseWindow;
use Headroom\Doctor\Facts\Laravel\Application as Known;
use Headroom\Doctor\Facts\Laravel\BlockingRoutes;
use Headroom\Doctor\Facts\Laravel\MissedClasses;
use Headroom\Doctor\Live\DatabaseMeter;
use Headroom\Laravel\Doctor\ApplicationDatabase;
use Headroom\Laravel\Doctor\ApplicationProbe;
use Headroom\Laravel\Doctor\CustomChecks;
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
        $facts = $this->facts(...);
        $commands = [
            new DoctorCommand(
                fn (): array => [...Checks::all(), ...(new CustomChecks($this->app))->all()],
                $facts,
                new SystemClock,
                [...SelfCommand::command($this->app->basePath('artisan')), 'headroom:load'],
            ),
            new TopCommand($facts, new SystemClock),
            new SlowlogCommand,
            new ErrorlogCommand,
        ];

        foreach ($commands as $command) {
            $command->setName("headroom:{$command->getName()}");
        }

        return $commands;
    }

    /** @param array<class-string, Closure(Facts): object> $told that go before its own */
    public function facts(array $told): Facts
    {
        return new Facts($told + [
            Known::class => fn (): Known => (new ApplicationProbe($this->app))->facts(),
            DatabaseServer::class => fn (): DatabaseServer => (new ApplicationDatabase($this->app))->server(),
            DatabaseWindow::class => fn (Facts $facts): DatabaseWindow => (new ApplicationDatabase($this->app))->window($facts),
            BlockingRoutes::class => fn (): BlockingRoutes => (new ApplicationProbe($this->app))->blockingRoutes(),
            DatabaseMeter::class => fn (Facts $facts): DatabaseMeter => (new ApplicationDatabase($this->app))->meter($facts),
            MissedClasses::class => static fn (): MissedClasses => MissedClasses::ofThisProcess(),
        ] + Probes::ofThisMachine());
    }
}
