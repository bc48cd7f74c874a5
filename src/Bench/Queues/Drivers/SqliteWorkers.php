<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Drivers;

use Illuminate\Database\Connection;

/**
 * The number of workers for a queue in a SQLite file. Two that want the same job end in "database is locked", unless
 * transactions are IMMEDIATE.
 *
 * @internal
 */
final readonly class SqliteWorkers
{
    /** From this version on, PDO can begin such a transaction. */
    private const IMMEDIATE_FROM = 80_400;

    private const WHY = "several end in 'database is locked' unless the connection has 'transaction_mode' =>"
        ." 'IMMEDIATE', which Laravel applies from PHP 8.4 on (docs/queues.md#what-is-known-to-go-wrong)";

    /** @param ?int $workers that the user asked for; null for the default */
    public static function limited(QueueConnection $subject, Connection $connection, ?int $workers): QueueConnection
    {
        if ($connection->getDriverName() !== 'sqlite' || self::isImmediate($connection)) {
            return $subject;
        }

        // A user who asks for several workers gets them, and a note.
        return match (true) {
            $workers === null,
            $subject->config !== [] => new QueueConnection($subject->name, $subject->connection, $subject->config, 1, [
                ...$subject->notes, 'one worker: '.self::WHY,
            ]),
            $workers > 1 => new QueueConnection($subject->name, $subject->connection, $subject->config, null, [
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
