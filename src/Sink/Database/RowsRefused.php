<?php

declare(strict_types=1);

namespace Headroom\Sink\Database;

use Headroom\Core\Position;
use Headroom\Sink\InvalidRecords;
use Headroom\Support\TerminalText;
use RuntimeException;
use Throwable;

/**
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
        return new self("Table {$table} refuses the row: ".DatabaseError::reason($e).'.');
    }

    /** @param string $why it can not be merged, as a predicate of the event */
    public static function unfoldable(string $table, Position $position, string $why): self
    {
        return new self("The event at {$position->toString()} {$why}, so it can not be merged into table {$table}.");
    }

    public static function tooLarge(string $table, Position $position): self
    {
        return new self("The event at {$position->toString()} is too large for table {$table}: its row has more columns or bytes than the server takes in one statement. On MySQL and MariaDB raise max_allowed_packet if it is to fit.");
    }

    public static function misreadName(string $table, string $column): self
    {
        return new self("Table {$table} refuses the row: PDO takes a part of the column's name '".TerminalText::name($column)."' for a placeholder, so that no statement can have this column (SQLSTATE HY093).");
    }

    public static function columnNamedTwice(string $table, Position $position): self
    {
        return new self("The event at {$position->toString()} has two values for one column of table {$table}: keys that differ in upper and lower case only are one name to SQLite.");
    }

    public static function nulInText(string $table, string $column, Position $position): self
    {
        return new self("The value for column {$column} of table {$table} in the event at {$position->toString()} has a NUL byte, which PostgreSQL takes only into a bytea column; the driver would cut the value there. Make the column bytea and the bucket's utf8 option 'binary', or keep NUL out of the event.");
    }
}
