<?php

declare(strict_types=1);

namespace Headroom\Laravel\Database;

use Closure;
use Illuminate\Database\Connection;
use Illuminate\Database\ConnectionResolverInterface;
use Illuminate\Database\DatabaseManager;
use PDO;
use PDOException;
use Throwable;

/**
 * Finds transactions that code of the application began and left open. The database rolls them back, with all later
 * statements, when the process ends, but their events count as delivered.
 *
 * @internal
 */
final readonly class OpenTransactionDetector
{
    public function __construct(private ConnectionResolverInterface $connections) {}

    /**
     * @return Closure(): ?string rolls back what was begun since and returns the name of the connection; null if
     * nothing was left open
     */
    public function since(): Closure
    {
        $before = array_map(
            static fn (Connection $connection): array => [$connection->transactionLevel(), self::isOpen($connection)],
            $this->connections(),
        );

        return function () use ($before): ?string {
            $left = null;

            foreach ($this->connections() as $name => $connection) {
                [$level, $wasOpen] = $before[$name] ?? [0, false];

                if ($connection->transactionLevel() > $level) {
                    $left = (string) $name;
                    $this->rollBack($connection, $level);
                } elseif (! $wasOpen && self::isOpen($connection)) {
                    $left = (string) $name;
                    $this->end($connection);
                }
            }

            return $left;
        };
    }

    /** Also detects a transaction that was begun with plain SQL or on the PDO handle. */
    private static function isOpen(Connection $connection): bool
    {
        $pdo = $connection->getRawPdo();

        return $pdo instanceof PDO
            && ($pdo->inTransaction() || ($connection->getDriverName() === 'sqlite' && ! self::canBegin($pdo)));
    }

    /** The SQLite driver knows only transactions that were begun through PDO. A deferred one takes no lock. */
    private static function canBegin(PDO $pdo): bool
    {
        try {
            return $pdo->exec('begin deferred') !== false && $pdo->exec('rollback') !== false;
        } catch (PDOException) {
            return false;
        }
    }

    /** @return array<array-key, Connection> by name; only connections that were used */
    private function connections(): array
    {
        return $this->connections instanceof DatabaseManager ? $this->connections->getConnections() : [];
    }

    /** Ends a transaction that Laravel does not know of. */
    private function end(Connection $connection): void
    {
        try {
            $pdo = $connection->getPdo();
            $pdo->inTransaction() ? $pdo->rollBack() : $pdo->exec('rollback');
        } catch (Throwable) {
            $connection->disconnect();
        }
    }

    private function rollBack(Connection $connection, int $level): void
    {
        try {
            $connection->rollBack($level);
        } catch (Throwable $e) {
            // The server rolls back all open transactions when the connection ends. With a level above 0 these include
            // the caller's transaction, so the connection stays open.
            $level === 0 ? $connection->disconnect() : throw $e;
        }
    }
}
