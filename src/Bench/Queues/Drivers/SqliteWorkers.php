<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Drivers;

use Illuminate\Database\Connection;

/**
 * How many workers a queue in a SQLite file stands: two that want the same job end in "database is locked", unless
 * transactions are IMMEDIATE.
 *
 * @internal
 */
final readonly class SqliteWorkers
{
    /** From then on PDO knows how to begin such a transaction. */
    private const IMMEDIATE_FROM = 80_400;

    private const WHY = "more of them end in 'database is locked' unless the connection has 'transaction_mode' =>"
        ." 'IMMEDIATE', which Laravel heeds from PHP 8.4 on (docs/queues.md#what-is-known-to-go-wrong)";

    /** @param ?int $workers that were asked for by somebody; null when the number is ours */
    public static function limited(QueueUnderTest $subject, Connection $connection, ?int $workers): QueueUnderTest
    {
        if ($connection->getDriverName() !== 'sqlite' || self::isImmediate($connection)) {
            return $subject;
        }

        // Whoever wants to see it fail may do that with a file of their own.
        return match (true) {
            $workers === null,
            $subject->config !== [] => new QueueUnderTest($subject->name, $subject->connection, $subject->config, 1, [
                ...$subject->notes, 'one worker: '.self::WHY,
            ]),
            $workers > 1 => new QueueUnderTest($subject->name, $subject->connection, $subject->config, null, [
                ...$subject->notes, 'try --workers=1: '.self::WHY,
            ]),
            default => $subject,
        };
    }

    private static function isImmediate(Connection $connection): bool
    {
        $mode = $connection->getConfig('transaction_mode');

        return PHP_VERSION_ID >= self::IMMEDIATE_FROM && is_string($mode) && strtoupper($mode) === 'IMMEDIATE';
    }
}
