<?php

declare(strict_types=1);

namespace Headroom\Sink\Database;

use Illuminate\Database\Connection;
use PDO;
use Throwable;

/**
 * Tests and ends the session behind a Laravel connection.
 *
 * @internal
 */
final readonly class Session
{
    /** True if the server still answers on this session. Asks PDO directly, because Laravel would reconnect. */
    public static function isAlive(Connection $connection): bool
    {
        try {
            $pdo = $connection->getRawPdo();

            return $pdo instanceof PDO && $pdo->query('select 1') !== false;
        } catch (Throwable) {
            return false;
        }
    }

    /** @return bool false if the state of the transaction stays unknown */
    public static function rollBack(Connection $connection): bool
    {
        try {
            $connection->rollBack(0);

            return true;
        } catch (Throwable) {
            // A trigger of SQLite may have rolled the transaction back already.
            return false;
        }
    }

    /**
     * Disconnects. The next use resolves the host name again, which may lead to another server after a failover. SQLite
     * has no server, and a database in memory would be lost.
     */
    public static function drop(Connection $connection): void
    {
        if ($connection->getDriverName() !== 'sqlite') {
            $connection->disconnect();
        }
    }
}
