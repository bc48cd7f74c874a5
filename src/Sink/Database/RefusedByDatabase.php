<?php

declare(strict_types=1);

namespace Headroom\Sink\Database;

use Headroom\Core\Permanent;
use Headroom\Sink\UnableToDeliver;
use RuntimeException;
use Throwable;

final class RefusedByDatabase extends RuntimeException implements Permanent, UnableToDeliver
{
    private function __construct(string $message)
    {
        parent::__construct($message);
    }

    public static function because(string $table, Throwable $e): self
    {
        return new self("The database refuses rows for table {$table}: ".DatabaseError::reason($e).'. They stay in the buffer; nothing more of this bucket is delivered until the table, the ledger or the rows fit. See `php artisan spool:health`.');
    }

    public static function openTransaction(string $connection): self
    {
        return new self("Connection '{$connection}' has an open transaction. A flush commits by itself and can not be a part of it: flush outside, or give the bucket a connection of its own.");
    }

    public static function notTransactional(string $table, string $engine): self
    {
        return new self("Table {$table} uses the engine {$engine}, which has no transactions, so rows could arrive twice or in part. Run `ALTER TABLE {$table} ENGINE=InnoDB`.");
    }

    public static function unknownConnection(string $class): self
    {
        return new self("The connection is a {$class}; the database sink needs one of Laravel's SQL connections.");
    }
}
