<?php

declare(strict_types=1);

namespace Headroom\Sink\Database;

use Illuminate\Database\Connection;
use PDO;
use Throwable;

/**
 * @internal
 */
final readonly class Session
{
    /** Whether the server still answers on it. Not by way of Laravel, which would begin another one. */
    public static function isAlive(Connection $connection): bool
    {
        try {
            $pdo = $connection->getRawPdo();

            return $pdo instanceof PDO && $pdo->query('select 1') !== false;
        } catch (Throwable) {
            return false;
        }
    }

    /**
     * The next use connects again, and asks the name again: behind a failover it may lead to another server. SQLite has no
     * server, and of a database in memory nothing would be left.
     */
    public static function drop(Connection $connection): void
    {
        if ($connection->getDriverName() !== 'sqlite') {
            $connection->disconnect();
        }
    }
}
