<?php

declare(strict_types=1);

namespace Headroom\Sink\Database;

use Headroom\Core\Permanent;
use Headroom\Sink\Database\Dialect\DatabaseError;
use Headroom\Sink\NamesCause;
use Headroom\Sink\Source;
use Headroom\Support\TerminalText;
use RuntimeException;
use Throwable;

/**
 * The database rejects every row: for example, the table is missing or cannot be used for exactly-once delivery.
 *
 * @internal catch Headroom\Sink\UnableToDeliver
 */
final class RefusedByDatabase extends RuntimeException implements NamesCause, Permanent
{
    private function __construct(private readonly string $cause, string $nextStep = '')
    {
        parent::__construct(TerminalText::line(rtrim("{$cause} {$nextStep}")));
    }

    public function cause(): string
    {
        return $this->cause;
    }

    public static function because(string $table, Throwable $e): self
    {
        return new self(
            "The database rejects rows for table {$table}: ".DatabaseError::reason($e).'.',
            'The events stay in the buffer until you fix it; `spool:health` finds a missing table or ledger.',
        );
    }

    public static function directly(string $table, Throwable $e): self
    {
        return new self("The database rejects rows for table {$table}: ".DatabaseError::reason($e).'.');
    }

    public static function unknownTransaction(string $connection, int $level): self
    {
        $what = $level === 0
            ? 'has an open transaction that was not begun through Laravel'
            : "should have {$level} open transactions and has none; a statement such as ALTER TABLE may have"
                .' committed them';

        return new self("Connection '{$connection}' {$what}, so the outcome of an insert would be unknown.");
    }

    public static function unobservableTransaction(string $connection): self
    {
        return new self(
            "Connection '{$connection}' has an open transaction and no event dispatcher, so the outcome of an insert"
                .' would be unknown.',
        );
    }

    public static function openTransaction(string $connection): self
    {
        return new self(
            "Connection '{$connection}' has an open transaction. Flush outside of it, because a flush commits,"
                .' or give the bucket a connection of its own.',
        );
    }

    public static function notTransactional(string $table, string $engine, string $fix): self
    {
        return new self(
            "Table {$table} uses the engine {$engine}, which has no transactions, so rows could arrive twice or in"
                ." part. Run `{$fix}`.",
        );
    }

    public static function noUniqueIndex(string $table, string $columns, string $fix): self
    {
        return new self(
            "Table {$table} has no unique index over exactly {$columns}, so events cannot be merged into its rows."
                ." Run `{$fix}` in a migration.",
        );
    }

    public static function unknownConnection(string $class): self
    {
        return new self("The connection is a {$class}; the database sink needs one of Laravel's SQL connections.");
    }

    public static function connectionNotConfigured(string $reason): self
    {
        return new self(
            "The database sink has no connection: {$reason} Set the bucket's 'connection' to one of"
                .' config/database.php.',
        );
    }

    public static function ledgerUnreadable(Source $source, string $reason): self
    {
        return new self(
            "The row for {$source->toString()} in table ".Ledger::TABLE
                ." cannot be read. {$reason} The bucket's events stay in the buffer until you correct its position.",
        );
    }
}
