<?php

declare(strict_types=1);

namespace Headroom\Sink\Database\Dialect;

use Illuminate\Database\QueryException;
use PDOException;
use PDOStatement;
use Throwable;

/**
 * Classifies the exceptions of the database drivers.
 *
 * @internal
 */
final readonly class DatabaseError
{
    /**
     * SQLSTATE classes of temporary errors: connections, rolled back transactions, resources, locks, operator
     * intervention, the server's machine. They only delay the verdict on a row, because the next attempt may succeed.
     */
    private const TRANSIENT_CLASSES = ['08', '40', '53', '55', '57', '58'];

    /**
     * The temporary errors of MySQL and MariaDB, most of which have the SQLSTATE HY000: full disks, user limits, lock
     * waits, lost connections.
     */
    private const TRANSIENT_MYSQL = [
        1021, 1040, 1114, 1203, 1205, 1206, 1213, 1226, 1317, 1461, 2002, 2003, 2006, 2013, 3024, 4031,
    ];

    /** SQLITE_BUSY, SQLITE_LOCKED, SQLITE_IOERR and SQLITE_FULL. https://www.sqlite.org/rescode.html */
    private const TRANSIENT_SQLITE = [5, 6, 10, 13];

    /** SQLITE_BUSY and SQLITE_LOCKED; MySQL has no errors of these numbers. */
    private const LOCKED_SQLITE = [5, 6];

    /** Serialization failure or deadlock: the database rolled this transaction back in favor of another. */
    private const CONFLICT_CLASS = '40';

    /** cardinality_violation: PostgreSQL does not upsert a row twice in one statement. */
    private const CARDINALITY_VIOLATION = '21000';

    /** Makes the exception that a connection does not throw (PDO::ATTR_ERRMODE). Without it the ledger would move. */
    public static function silentFailure(PDOStatement $statement): PDOException
    {
        $error = new PDOException(
            'the statement failed, and the connection is configured not to throw (PDO::ATTR_ERRMODE)',
        );
        $error->errorInfo = $statement->errorInfo();

        return $error;
    }

    public static function isDriverError(Throwable $e): bool
    {
        return self::driverException($e) instanceof PDOException;
    }

    /** Judged by SQLSTATE and driver code only. */
    public static function isTransient(Throwable $e): bool
    {
        [$state, $code] = self::codes(self::driverException($e));

        return in_array(substr($state, 0, 2), self::TRANSIENT_CLASSES, true)
            || in_array($code, self::TRANSIENT_MYSQL, true)
            || ($state === 'HY000' && in_array($code, self::TRANSIENT_SQLITE, true));
    }

    public static function isConflict(Throwable $e): bool
    {
        return str_starts_with(self::codes(self::driverException($e))[0], self::CONFLICT_CLASS);
    }

    /** PDO found more or fewer placeholders than values. */
    public static function isPlaceholderMismatch(Throwable $e): bool
    {
        return self::codes(self::driverException($e))[0] === 'HY093';
    }

    public static function isDuplicateInStatement(Throwable $e): bool
    {
        return self::codes(self::driverException($e))[0] === self::CARDINALITY_VIOLATION;
    }

    /**
     * A deadlock or a serialization failure: the whole transaction must be retried. On SQLite a lock of another
     * connection counts too, because a transaction that has read cannot wait for the lock.
     */
    public static function endsTransaction(Throwable $e): bool
    {
        [$state, $code] = self::codes(self::driverException($e));

        return str_starts_with($state, '40') || ($state === 'HY000' && in_array($code, self::LOCKED_SQLITE, true));
    }

    /** The reason without any value of a row. */
    public static function reason(Throwable $e): string
    {
        $driver = self::driverException($e);

        if (! $driver instanceof PDOException) {
            return DriverMessage::firstLine($driver->getMessage());
        }

        [$state, $code] = self::codes($driver);
        // PDO puts the SQLSTATE before the driver's message.
        $said = is_string($driver->errorInfo[2] ?? null)
            ? $driver->errorInfo[2]
            : preg_replace('/\ASQLSTATE\[\w+\]:? */', '', $driver->getMessage()) ?? '';
        $text = DriverMessage::withoutValues($said, $state, $code);

        return $state === '' ? $text : "{$text} (SQLSTATE {$state})";
    }

    /** @return array{string, ?int} SQLSTATE and the driver's own code */
    private static function codes(Throwable $driver): array
    {
        $info = $driver instanceof PDOException ? $driver->errorInfo : null;

        return [is_string($info[0] ?? null) ? $info[0] : '', is_int($info[1] ?? null) ? $info[1] : null];
    }

    /**
     * The message of Laravel's exception contains the query with its values, so the driver's exception inside it is
     * used.
     */
    private static function driverException(Throwable $e): Throwable
    {
        while (
            ($previous = $e->getPrevious()) !== null
            && ($e instanceof QueryException || $previous instanceof PDOException)
        ) {
            $e = $previous;
        }

        return $e;
    }
}
