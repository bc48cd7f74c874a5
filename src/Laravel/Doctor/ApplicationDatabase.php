<?php

declare(strict_types=1);

namespace Headroom\Laravel\Doctor;

use Headroom\Doctor\Database\DatabaseObserver;
use Headroom\Doctor\Database\DatabaseProbe;
use Headroom\Doctor\Database\DatabaseServer;
use Headroom\Doctor\Database\DatabaseWindow;
use Headroom\Doctor\Database\ReadTimeout;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Fpm\FpmPools;
use Headroom\Doctor\NotApplicable;
use Headroom\Doctor\UnderLoad\Samplers\DatabaseSampler;
use Headroom\Support\TerminalText;
use Illuminate\Contracts\Foundation\Application;
use Illuminate\Database\Connectors\ConnectionFactory;
use Illuminate\Database\DatabaseManager;
use PDO;
use Throwable;

/**
 * The SQL server of the application's default connection. The doctor opens connections of its own with the
 * application's settings, because a query on an existing connection could block for as long as PHP's own timeout.
 *
 * @internal
 */
final readonly class ApplicationDatabase
{
    public function __construct(private Application $app) {}

    /**
     * @throws NotApplicable
     * @throws FactUnavailable
     */
    public function server(): DatabaseServer
    {
        return (new DatabaseProbe($this->connected()))->facts();
    }

    /**
     * @throws NotApplicable
     * @throws FactUnavailable
     */
    public function window(Facts $facts): DatabaseWindow
    {
        $server = $facts->get(DatabaseServer::class);

        return (new DatabaseObserver(
            $this->connected(),
            $server->engine,
            $this->another(...),
            static fn (): ?int => self::requests($facts),
        ))->facts();
    }

    /**
     * @throws NotApplicable
     * @throws FactUnavailable
     */
    public function sampler(Facts $facts): DatabaseSampler
    {
        // This fact throws a reason for the report if no such connection exists. The DatabaseManager would throw an
        // exception that ends the command.
        $engine = $facts->get(DatabaseServer::class)->engine;
        $connection = $this->app->make(DatabaseManager::class)->connection();
        $text = static fn (string $key): string
            => is_scalar($value = $connection->getConfig($key)) ? (string) $value : '';
        $socket = $text('unix_socket') !== ''
            ? $text('unix_socket')
            : (str_starts_with($text('host'), '/') ? "{$text('host')}/.s.PGSQL.{$text('port')}" : '');

        return new DatabaseSampler(
            $engine,
            $socket !== '' ? $socket : "{$text('host')}:{$text('port')}",
            $this->connected(),
        );
    }

    private function another(): PDO
    {
        $config = $this->app->make(DatabaseManager::class)->connection()->getConfig();

        return ReadTimeout::with(fn (): PDO => $this->app->make(ConnectionFactory::class)->make(
            is_array($config) ? $config : [],
            'headroom-doctor',
        )->getPdo());
    }

    /** @throws FactUnavailable */
    private function connected(): PDO
    {
        try {
            return $this->another();
        } catch (Throwable $e) {
            throw FactUnavailable::because(
                'The application cannot connect to its database: '.TerminalText::name($e->getMessage()),
                'artisan db:show',
            );
        }
    }

    /** Queries each pool again, because a pool object caches its status page. */
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
        } catch (FactUnavailable|NotApplicable) {
            return null;
        }
    }
}
