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
 * Transactions that somebody has begun and left open. What is done in them, and in all that come behind, would be undone
 * when the process ends, and counted as done.
 *
 * @internal
 */
final readonly class OpenTransactionDetector
{
    public function __construct(private ConnectionResolverInterface $connections) {}

    /** @return Closure(): ?string rolls back what was begun since, and names the connection; null when nothing was left */
    public function since(): Closure
    {
        $before = array_map(static fn (Connection $connection): array => [$connection->transactionLevel(), self::isOpen($connection)], $this->connections());

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

    /** Also one that was begun with plain SQL or on the PDO handle. */
    private static function isOpen(Connection $connection): bool
    {
        $pdo = $connection->getRawPdo();

        return $pdo instanceof PDO && ($pdo->inTransaction() || ($connection->getDriverName() === 'sqlite' && ! self::canBegin($pdo)));
    }

    /** The driver of SQLite knows of those only that were begun on its handle. A deferred one locks nothing. */
    private static function canBegin(PDO $pdo): bool
    {
        try {
            return $pdo->exec('begin deferred') !== false && $pdo->exec('rollback') !== false;
        } catch (PDOException) {
            return false;
        }
    }

    /** @return array<array-key, Connection> by name, those that were ever asked for */
    private function connections(): array
    {
        return $this->connections instanceof DatabaseManager ? $this->connections->getConnections() : [];
    }

    /** One that Laravel knows nothing of. */
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
            // The server drops an open transaction with its connection; one of the caller's would go with it.
            $level === 0 ? $connection->disconnect() : throw $e;
        }
    }
}
