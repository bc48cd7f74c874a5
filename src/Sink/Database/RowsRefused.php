<?php

declare(strict_types=1);

namespace Headroom\Sink\Database;

use Headroom\Core\Position;
use Headroom\Sink\Database\Dialect\DatabaseError;
use Headroom\Sink\InvalidRecords;
use Headroom\Support\TerminalText;
use RuntimeException;
use Throwable;

/**
 * The table rejects rows of the batch in any order and at every attempt.
 *
 * @internal catch Headroom\Sink\UnableToDeliver
 */
final class RowsRefused extends RuntimeException implements InvalidRecords
{
    private function __construct(string $message)
    {
        parent::__construct(TerminalText::line($message));
    }

    public static function because(string $table, Throwable $e): self
    {
        return new self("Table {$table} rejects the row: ".DatabaseError::reason($e).'.');
    }

    /** @param string $why the reason, as a predicate of the event */
    public static function unmergeable(string $table, Position $position, string $why): self
    {
        return new self("The event at {$position->toString()} {$why}, so it cannot be merged into table {$table}.");
    }

    public static function tooLarge(string $table, Position $position): self
    {
        return new self(
            "The event at {$position->toString()} is too large for table {$table}: its row has more columns or bytes"
                .' than the server takes in one statement. On MySQL and MariaDB, raise max_allowed_packet.',
        );
    }

    public static function misreadName(string $table, string $column): self
    {
        return new self(
            "Table {$table} rejects the row: PDO reads a part of the column name '".TerminalText::name($column)
                ."' as a placeholder, so no statement can contain it (SQLSTATE HY093).",
        );
    }

    public static function columnNamedTwice(string $table, Position $position): self
    {
        return new self(
            "The event at {$position->toString()} has two values for one column of table {$table}:"
                .' SQLite ignores the case of column names.',
        );
    }

    public static function nulInText(string $table, string $column, Position $position): self
    {
        return new self(
            "The value for column {$column} of table {$table} in the event at {$position->toString()} has a NUL byte,"
                ." which PostgreSQL stores only in a bytea column. Make the column bytea and set the bucket's 'utf8' to"
                ." 'binary', or remove NUL from the event.",
        );
    }
}
