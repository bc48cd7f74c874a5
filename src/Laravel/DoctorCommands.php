<?php

declare(strict_types=1);

namespace Headroom\Laravel;

use Headroom\Cli\Doctor\DoctorCommand;
use Headroom\Cli\Doctor\Probes;
use Headroom\Cli\Doctor\TopCommand;
use Headroom\Cli\Logs\ErrorlogCommand;
use Headroom\Cli\Logs\SlowlogCommand;
use Headroom\Core\Printable;
use Headroom\Core\SystemClock;
use Headroom\Doctor\Checks\Checks;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Facts\Database\DatabaseProbe;
use Headroom\Doctor\Facts\Database\DatabaseServer;
use Headroom\Doctor\Facts\Fpm\FpmPools;
use Headroom\Doctor\Facts\Fpm\FpmProbe;
use Headroom\Doctor\Facts\Laravel\Application as Known;
use Headroom\Doctor\Facts\Laravel\MissedClasses;
use Headroom\Doctor\UnknownFact;
use Illuminate\Contracts\Foundation\Application;
use Illuminate\Database\DatabaseManager;
use Symfony\Component\Console\Command\Command;
use Throwable;

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
            new DoctorCommand(Checks::all(), fn (): Facts => new Facts([
                Known::class => fn (): Known => (new ApplicationProbe($this->app))->facts(),
                DatabaseServer::class => $this->database(...),
                MissedClasses::class => static fn (): MissedClasses => MissedClasses::ofThisProcess(),
            ] + Probes::ofThisMachine()), new SystemClock),
            new TopCommand(static fn (): FpmPools => (new FpmProbe)->facts(), new SystemClock),
            new SlowlogCommand,
            new ErrorlogCommand,
        ];

        foreach ($commands as $command) {
            $command->setName("headroom:{$command->getName()}");
        }

        return $commands;
    }

    /** @throws UnknownFact */
    private function database(): DatabaseServer
    {
        try {
            $pdo = $this->app->make(DatabaseManager::class)->connection()->getPdo();
        } catch (Throwable $e) {
            throw UnknownFact::because('The application can not connect to its database: '.Printable::name($e->getMessage()), 'php artisan db:show');
        }

        return (new DatabaseProbe($pdo))->facts();
    }
}
