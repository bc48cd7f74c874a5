<?php

declare(strict_types=1);

namespace Headroom\Laravel\Doctor;

use Headroom\Doctor\AbsentFact;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Facts\Database\DatabaseProbe;
use Headroom\Doctor\Facts\Database\DatabaseServer;
use Headroom\Doctor\Facts\Database\DatabaseWatch;
use Headroom\Doctor\Facts\Database\DatabaseWindow;
use Headroom\Doctor\Facts\Database\Patience;
use Headroom\Doctor\Facts\Fpm\FpmPools;
use Headroom\Doctor\Live\DatabaseMeter;
use Headroom\Doctor\UnknownFact;
use Headroom\Support\TerminalText;
use Illuminate\Contracts\Foundation\Application;
use Illuminate\Database\Connectors\ConnectionFactory;
use Illuminate\Database\DatabaseManager;
use PDO;
use Throwable;

/**
 * The SQL server of the default connection, as the application speaks to it: by a connection of the doctor's own that is made as the
 * application's are, since one that was there before would wait for an answer as long as PHP does.
 *
 * @internal
 */
final readonly class ApplicationDatabase
{
    public function __construct(private Application $app) {}

    /**
     * @throws AbsentFact
     * @throws UnknownFact
     */
    public function server(): DatabaseServer
    {
        return (new DatabaseProbe($this->connected()))->facts();
    }

    /**
     * @throws AbsentFact
     * @throws UnknownFact
     */
    public function window(Facts $facts): DatabaseWindow
    {
        $server = $facts->get(DatabaseServer::class);

        return (new DatabaseWatch($this->connected(), $server->engine, $this->another(...), static fn (): ?int => self::requests($facts)))->facts();
    }

    /**
     * @throws AbsentFact
     * @throws UnknownFact
     */
    public function meter(Facts $facts): DatabaseMeter
    {
        // Says why where there is no such connection; what makes one would end the command.
        $engine = $facts->get(DatabaseServer::class)->engine;
        $connection = $this->app->make(DatabaseManager::class)->connection();
        $text = static fn (string $key): string => is_scalar($value = $connection->getConfig($key)) ? (string) $value : '';
        $socket = $text('unix_socket') !== '' ? $text('unix_socket') : (str_starts_with($text('host'), '/') ? "{$text('host')}/.s.PGSQL.{$text('port')}" : '');

        return new DatabaseMeter($engine, $socket !== '' ? $socket : "{$text('host')}:{$text('port')}", $this->connected());
    }

    private function another(): PDO
    {
        $config = $this->app->make(DatabaseManager::class)->connection()->getConfig();

        return Patience::with(fn (): PDO => $this->app->make(ConnectionFactory::class)->make(is_array($config) ? $config : [], 'headroom-doctor')->getPdo());
    }

    /** @throws UnknownFact */
    private function connected(): PDO
    {
        try {
            return $this->another();
        } catch (Throwable $e) {
            throw UnknownFact::because('The application can not connect to its database: '.TerminalText::name($e->getMessage()), 'php artisan db:show');
        }
    }

    /** Each look of its own, as a pool remembers what its page said. */
    private static function requests(Facts $facts): ?int
    {
        try {
            $requests = 0;

            foreach ($facts->get(FpmPools::class)->pools as $pool) {
                $taken = $pool->again()->status()->acceptedConnections;

                if ($taken === null) {
                    return null;
                }

                $requests += $taken;
            }

            return $requests;
        } catch (UnknownFact|AbsentFact) {
            return null;
        }
    }
}
