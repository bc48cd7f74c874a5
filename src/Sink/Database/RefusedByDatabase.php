<?php

declare(strict_types=1);

namespace Headroom\Sink\Database;

use Headroom\Core\Permanent;
use Headroom\Core\Position;
use Headroom\Core\Printable;
use Headroom\Sink\Source;
use Headroom\Sink\UnableToDeliver;
use RuntimeException;
use Throwable;

/**
 * @internal catch Headroom\Sink\UnableToDeliver
 */
final class RefusedByDatabase extends RuntimeException implements Permanent, UnableToDeliver
{
    private function __construct(string $message)
    {
        parent::__construct(Printable::line($message));
    }

    public static function because(string $table, Throwable $e): self
    {
        return new self("The database refuses rows for table {$table}: ".DatabaseError::reason($e).'. They stay in the buffer, and nothing more of this bucket is delivered until the database takes them: change the table so that it does. `php artisan spool:health` finds a missing table or ledger, not a row that does not fit.');
    }

    public static function nulInText(string $table, string $column, Position $position): self
    {
        return new self("The value for column {$column} of table {$table} in the event at {$position->toString()} has a NUL byte, which PostgreSQL takes only into a bytea column; the driver would cut the value there. The rows stay in the buffer. Make the column bytea and the bucket's utf8 option 'binary', or keep NUL out of the event.");
    }

    public static function openTransaction(string $connection): self
    {
        return new self("Connection '{$connection}' has an open transaction. A flush commits by itself and can not be a part of it: flush outside, or give the bucket a connection of its own.");
    }

    public static function notTransactional(string $table, string $engine, string $mend): self
    {
        return new self("Table {$table} uses the engine {$engine}, which has no transactions, so rows could arrive twice or in part. Run `{$mend}`.");
    }

    public static function unknownConnection(string $class): self
    {
        return new self("The connection is a {$class}; the database sink needs one of Laravel's SQL connections.");
    }

    public static function connectionNotConfigured(string $reason): self
    {
        return new self("The database sink has no connection: {$reason} Name one that config/database.php has in the bucket's 'connection' setting.");
    }

    public static function ledgerUnreadable(Source $source, string $reason): self
    {
        return new self("The row for {$source->toString()} in table ".Ledger::TABLE." can not be read. {$reason} Nothing of this bucket is delivered until somebody sets its position right again.");
    }
}
