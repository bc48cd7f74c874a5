<?php

declare(strict_types=1);

namespace Headroom\Sink\ClickHouse;

use Headroom\Sink\BatchRejected;
use Headroom\Sink\HttpClient\Endpoint;
use Headroom\Sink\NamesCause;
use RuntimeException;

/**
 * The server takes no row for the table.
 *
 * @internal catch Headroom\Sink\UnableToDeliver
 */
final class TableRefused extends RuntimeException implements BatchRejected, NamesCause
{
    private function __construct(private readonly string $cause)
    {
        parent::__construct("{$cause} All events stay in the buffer.");
    }

    public function cause(): string
    {
        return $this->cause;
    }

    public static function by(Endpoint $from, string $table, int $code): self
    {
        return new self(
            "{$from->origin} takes no rows for the table {$table}: exception {$code} of ClickHouse, ".match ($code) {
                60 => 'the table does not exist. Create it with `headroom:collect:install`, or correct the'
                    ." bucket's 'table'.",
                81 => 'its database does not exist. Create it with CREATE DATABASE and the table with'
                    ." `headroom:collect:install`, or correct the bucket's 'table'.",
                192, 193, 194, 195, 516 =>
                    "it does not accept this sender. Correct the bucket's 'auth', and clear the configuration cache.",
                164, 291, 497 => 'its user may not insert there. Grant it INSERT on the table.',
                default => 'it does not understand the insert. Check the log of that server.',
            },
        );
    }
}
