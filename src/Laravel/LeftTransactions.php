<?php

declare(strict_types=1);

namespace Headroom\Laravel;

use Closure;
use Illuminate\Database\Connection;
use Illuminate\Database\ConnectionResolverInterface;
use Illuminate\Database\DatabaseManager;
use Throwable;

/**
 * Transactions that somebody has begun and left open. What is done in them, and in all that come behind, would be undone
 * when the process ends, and counted as done.
 *
 * @internal
 */
final readonly class LeftTransactions
{
    public function __construct(private ConnectionResolverInterface $connections) {}

    /** @return Closure(): ?string rolls back what was begun since, and names the connection; null when nothing was left */
    public function since(): Closure
    {
        $before = array_map(static fn (Connection $connection): int => $connection->transactionLevel(), $this->connections());

        return function () use ($before): ?string {
            $left = null;

            foreach ($this->connections() as $name => $connection) {
                $level = $before[$name] ?? 0;

                if ($connection->transactionLevel() > $level) {
                    $left = (string) $name;
                    $this->rollBack($connection, $level);
                }
            }

            return $left;
        };
    }

    /** @return array<array-key, Connection> by name, those that were ever asked for */
    private function connections(): array
    {
        return $this->connections instanceof DatabaseManager ? $this->connections->getConnections() : [];
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
