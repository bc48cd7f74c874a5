<?php

declare(strict_types=1);

namespace Headroom\Sink\Database;

use PDOException;
use Throwable;

/**
 * Reads what a driver said. The query's own text never gets into a message: it holds a thousand users' rows.
 *
 * @internal
 */
final readonly class DatabaseError
{
    /** Data does not fit, a constraint is violated, the statement is wrong: SQLSTATE classes of ISO 9075. */
    private const PERMANENT_CLASSES = ['21', '22', '23', '42', '44'];

    public static function isPermanent(Throwable $e): bool
    {
        return in_array(substr(self::sqlState($e), 0, 2), self::PERMANENT_CLASSES, true)
            // SQLite says HY000 to everything; its code 1 is a wrong statement, such as a missing table.
            || (self::sqlState($e) === 'HY000' && self::driverCode($e) === 1 && str_contains(self::reason($e), 'General error: 1 '));
    }

    public static function reason(Throwable $e): string
    {
        return self::driverException($e)->getMessage();
    }

    private static function sqlState(Throwable $e): string
    {
        $driver = self::driverException($e);

        return $driver instanceof PDOException && is_string($driver->errorInfo[0] ?? null) ? $driver->errorInfo[0] : '';
    }

    private static function driverCode(Throwable $e): ?int
    {
        $driver = self::driverException($e);

        return $driver instanceof PDOException && is_int($driver->errorInfo[1] ?? null) ? $driver->errorInfo[1] : null;
    }

    /** Laravel wraps the driver's exception into one that carries the whole query. */
    private static function driverException(Throwable $e): Throwable
    {
        while ($e->getPrevious() instanceof PDOException) {
            $e = $e->getPrevious();
        }

        return $e;
    }
}
