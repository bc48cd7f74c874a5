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
     * The statement is wrong, data does not fit, a constraint is violated, a trigger refuses: SQLSTATE classes of ISO
     * 9075 and, of PostgreSQL, 54 for what exceeds a limit of the server and P0 for what a function raises.
     */
    private const PERMANENT_CLASSES = ['0A', '21', '22', '23', '42', '44', '45', '54', 'P0'];

    /** SQLite says HY000 to everything: wrong statement, too big, datatype mismatch. https://www.sqlite.org/rescode.html */
    private const PERMANENT_SQLITE = [1, 18, 20];

    /** SQLITE_BUSY and SQLITE_LOCKED; MySQL has no errors of these numbers. */
    private const LOCKED_SQLITE = [5, 6];

    /** Of these classes and codes, what one row can be guilty of and another not. */
    private const ROW_CLASSES = ['21', '22', '23', '44', '45', '54', 'P0'];

    /** A column that is not there, or that is computed: rows differ in their columns. A type that does not fit. */
    private const ROW_STATES = ['42S22', '42703', '42804', '428C9'];

    private const ROW_SQLITE = [18, 20];

    /** What SQLite files with wrong statements. */
    private const ROW_TEXTS_SQLITE = '/has no column named|integer overflow|generated column|malformed JSON/';

    /** Serialization failure, deadlock: the transaction was rolled back for another one's sake. */
    private const CONFLICT_CLASS = '40';

    /** cardinality_violation: PostgreSQL upserts a row once in a statement. */
    private const TWICE_STATE = '21000';

    /** invalid_sql_statement_name of ISO 9075; unknown statement, and one to be prepared again, of MySQL. */
    private const GONE_STATE = '26000';

    private const GONE_MYSQL = [1243, 1615];

    /** Of a connection that is set to fail without a word (PDO::ATTR_ERRMODE); the ledger must not move then. */
    public static function unsaid(PDOStatement $statement): PDOException
    {
        $error = new PDOException('the statement failed, and the connection is set to say nothing of errors (PDO::ATTR_ERRMODE)');
        $error->errorInfo = $statement->errorInfo();

        return $error;
    }

    /**
     * Whether a statement that was prepared for an earlier delivery may be why: the server fixes the types of its values
     * then, and a table can change after that; what pools connections may have handed the session to another one.
     */
    public static function isAboutStatement(Throwable $e): bool
    {
        [$state, $code] = self::codes(self::driverException($e));

        return $state === self::GONE_STATE || ($state === 'HY000' && in_array($code, self::GONE_MYSQL, true)) || self::isPermanent($e);
    }

    public static function isAboutRows(Throwable $e): bool
    {
        $driver = self::driverException($e);
        [$state, $code] = self::codes($driver);

        return in_array(substr($state, 0, 2), self::ROW_CLASSES, true)
            || in_array($state, self::ROW_STATES, true)
            || MysqlCodes::isAboutRows($code)
            || ($state === 'HY000' && in_array($code, self::ROW_SQLITE, true))
            || ($state === 'HY000' && $code === 1 && preg_match(self::ROW_TEXTS_SQLITE, $driver->getMessage()) === 1)
            || DriverMessage::isAboutParameter($driver->getMessage());
    }

    public static function isConflict(Throwable $e): bool
    {
        return str_starts_with(self::codes(self::driverException($e))[0], self::CONFLICT_CLASS);
    }

    public static function isTwiceInStatement(Throwable $e): bool
    {
        return self::codes(self::driverException($e))[0] === self::TWICE_STATE;
    }

    public static function isPermanent(Throwable $e): bool
    {
        [$state, $code] = self::codes(self::driverException($e));

        if (MysqlCodes::isLimit($code)) {
            return false;
        }

        return in_array(substr($state, 0, 2), self::PERMANENT_CLASSES, true)
            || MysqlCodes::isAboutRows($code)
            || ($state === 'HY000' && in_array($code, self::PERMANENT_SQLITE, true));
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
        $said = is_string($driver->errorInfo[2] ?? null) ? $driver->errorInfo[2] : $driver->getMessage();
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
