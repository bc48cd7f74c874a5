<?php

declare(strict_types=1);

namespace Headroom\Laravel;

use Headroom\Core\Printable;
use Headroom\Doctor\AbsentFact;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Facts\Database\DatabaseProbe;
use Headroom\Doctor\Facts\Database\DatabaseServer;
use Headroom\Doctor\Facts\Database\DatabaseWatch;
use Headroom\Doctor\Facts\Database\DatabaseWindow;
use Headroom\Doctor\Facts\Fpm\FpmPools;
use Headroom\Doctor\UnknownFact;
use Illuminate\Contracts\Foundation\Application;
use Illuminate\Database\Connectors\ConnectionFactory;
use Illuminate\Database\DatabaseManager;
use PDO;
use Throwable;

/**
 * The SQL server of the default connection, as the application speaks to it.
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
        return (new DatabaseProbe($this->pdo()))->facts();
    }

    /**
     * @throws AbsentFact
     * @throws UnknownFact
     */
    public function window(Facts $facts): DatabaseWindow
    {
        $server = $facts->get(DatabaseServer::class);

        return (new DatabaseWatch($this->pdo(), $server->engine, $this->another(...), static fn (): ?int => self::requests($facts)))->facts();
    }

    private function another(): PDO
    {
        $config = $this->app->make(DatabaseManager::class)->connection()->getConfig();

        return $this->app->make(ConnectionFactory::class)->make(is_array($config) ? $config : [], 'headroom-doctor')->getPdo();
    }

    /** @throws UnknownFact */
    private function pdo(): PDO
    {
        try {
            return $this->app->make(DatabaseManager::class)->connection()->getPdo();
        } catch (Throwable $e) {
            throw UnknownFact::because('The application can not connect to its database: '.Printable::name($e->getMessage()), 'php artisan db:show');
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
