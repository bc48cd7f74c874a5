<?php

declare(strict_types=1);

namespace Headroom\Sink\Database;

use Illuminate\Database\QueryException;
use PDOException;
use PDOStatement;
use Throwable;

/**
 * Reads what a driver said.
 *
 * @internal
 */
final readonly class DatabaseError
{
    /**
     * Connections, transactions rolled back for another one's sake, resources, locks, operators, the machine. They do not
     * decide what becomes of a row, only how soon it is asked whether the row is to blame: the next try may go well.
     */
    private const MOMENT_CLASSES = ['08', '40', '53', '55', '57', '58'];

    /** The same of MySQL and MariaDB, of which most are HY000: full disks, limits of a user, lock waits, lost connections. */
    private const MOMENT_MYSQL = [1021, 1040, 1114, 1203, 1205, 1206, 1213, 1226, 1317, 1461, 2002, 2003, 2006, 2013, 3024, 4031];

    /** SQLITE_BUSY, SQLITE_LOCKED, SQLITE_IOERR and SQLITE_FULL. https://www.sqlite.org/rescode.html */
    private const MOMENT_SQLITE = [5, 6, 10, 13];

    /** SQLITE_BUSY and SQLITE_LOCKED; MySQL has no errors of these numbers. */
    private const LOCKED_SQLITE = [5, 6];

    /** Serialization failure, deadlock: the transaction was rolled back for another one's sake. */
    private const CONFLICT_CLASS = '40';

    /** cardinality_violation: PostgreSQL upserts a row once in a statement. */
    private const TWICE_STATE = '21000';

    /** Of a connection that is set to fail without a word (PDO::ATTR_ERRMODE); the ledger must not move then. */
    public static function unsaid(PDOStatement $statement): PDOException
    {
        $error = new PDOException('the statement failed, and the connection is set to say nothing of errors (PDO::ATTR_ERRMODE)');
        $error->errorInfo = $statement->errorInfo();

        return $error;
    }

    public static function isOfServer(Throwable $e): bool
    {
        return self::driverException($e) instanceof PDOException;
    }

    /** Whether it may be over soon, by its own words. */
    public static function isOfTheMoment(Throwable $e): bool
    {
        [$state, $code] = self::codes(self::driverException($e));

        return in_array(substr($state, 0, 2), self::MOMENT_CLASSES, true)
            || in_array($code, self::MOMENT_MYSQL, true)
            || ($state === 'HY000' && in_array($code, self::MOMENT_SQLITE, true));
    }

    public static function isConflict(Throwable $e): bool
    {
        return str_starts_with(self::codes(self::driverException($e))[0], self::CONFLICT_CLASS);
    }

    /** PDO counts other placeholders than were bound. */
    public static function isOfPlaceholders(Throwable $e): bool
    {
        return self::codes(self::driverException($e))[0] === 'HY093';
    }

    public static function isTwiceInStatement(Throwable $e): bool
    {
        return self::codes(self::driverException($e))[0] === self::TWICE_STATE;
    }

    /**
     * A deadlock or a serialization failure: it is the whole transaction that has to be tried again. On SQLite that is a
     * lock which somebody else has, since who has read already can not wait for it.
     */
    public static function endsTransaction(Throwable $e): bool
    {
        [$state, $code] = self::codes(self::driverException($e));

        return str_starts_with($state, '40') || ($state === 'HY000' && in_array($code, self::LOCKED_SQLITE, true));
    }

    /** Without a value of any row. */
    public static function reason(Throwable $e): string
    {
        $driver = self::driverException($e);

        if (! $driver instanceof PDOException) {
            return DriverMessage::firstLine($driver->getMessage());
        }

        [$state, $code] = self::codes($driver);
        // PDO puts the state before its own words.
        $said = is_string($driver->errorInfo[2] ?? null) ? $driver->errorInfo[2] : preg_replace('/\ASQLSTATE\[\w+\]:? */', '', $driver->getMessage()) ?? '';
        $text = DriverMessage::withoutValues($said, $state, $code);

        return $state === '' ? $text : "{$text} (SQLSTATE {$state})";
    }

    /** @return array{string, ?int} SQLSTATE and the driver's own code */
    private static function codes(Throwable $driver): array
    {
        $info = $driver instanceof PDOException ? $driver->errorInfo : null;

        return [is_string($info[0] ?? null) ? $info[0] : '', is_int($info[1] ?? null) ? $info[1] : null];
    }

    /** Laravel wraps the driver's exception into one that carries the whole query with its bindings. */
    private static function driverException(Throwable $e): Throwable
    {
        while (($previous = $e->getPrevious()) !== null && ($e instanceof QueryException || $previous instanceof PDOException)) {
            $e = $previous;
        }

        return $e;
    }
}
