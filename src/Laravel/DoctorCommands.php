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
use Headroom\Doctor\Live\DatabaseMeter;
use Headroom\Doctor\UnknownFact;
use Illuminate\Contracts\Foundation\Application;
use Illuminate\Database\DatabaseManager;
use PDO;
use Symfony\Component\Console\Command\Command;
use Throwable;

/**
 * The doctor's commands under their names in artisan, with what only the application knows.
 *
 * @internal
 */
final readonly class DoctorCommands
{
    private const READ_SECONDS = 5;

    public function __construct(private Application $app) {}

    /** @return list<Command> */
    public function all(): array
    {
        $commands = [
            new DoctorCommand(Checks::all(), fn (): Facts => new Facts([
                Known::class => fn (): Known => (new ApplicationProbe($this->app))->facts(),
                DatabaseServer::class => fn (): DatabaseServer => (new DatabaseProbe($this->pdo()))->facts(),
                DatabaseMeter::class => $this->meter(...),
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

    /** A connection of its own would not see what the application's user may not see either. */
    private function meter(Facts $facts): DatabaseMeter
    {
        $connection = $this->app->make(DatabaseManager::class)->connection();
        $text = static fn (string $key): string => is_scalar($value = $connection->getConfig($key)) ? (string) $value : '';
        $socket = $text('unix_socket') !== '' ? $text('unix_socket') : (str_starts_with($text('host'), '/') ? "{$text('host')}/.s.PGSQL.{$text('port')}" : '');

        return new DatabaseMeter($facts->get(DatabaseServer::class)->engine, $socket !== '' ? $socket : "{$text('host')}:{$text('port')}", $this->pdo());
    }

    /** @throws UnknownFact */
    private function pdo(): PDO
    {
        // Who does not answer is not waited for as long as PHP would.
        ini_set('mysqlnd.net_read_timeout', (string) self::READ_SECONDS);

        try {
            return $this->app->make(DatabaseManager::class)->connection()->getPdo();
        } catch (Throwable $e) {
            throw UnknownFact::because('The application can not connect to its database: '.Printable::name($e->getMessage()), 'php artisan db:show');
        }
    }
}
