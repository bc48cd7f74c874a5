<?php

declare(strict_types=1);

namespace Headroom\Sink\ClickHouse;

use Headroom\Sink\BatchRejected;
use Headroom\Sink\HttpClient\Endpoint;
use RuntimeException;

/**
 * The server takes no row for that table, whatever is in it.
 *
 * @internal catch Headroom\Sink\UnableToDeliver
 */
final class TableRefused extends RuntimeException implements BatchRejected
{
    private function __construct(string $message)
    {
        parent::__construct($message);
    }

    public static function by(Endpoint $from, string $table, int $code): self
    {
        return new self("{$from->shown} takes no rows for the table {$table}: exception {$code} of ClickHouse, ".match ($code) {
            60 => "it is not there. Make it with `headroom:collect:install`, or correct the bucket's 'table'.",
            81 => "its database is not there. Make that with CREATE DATABASE, and the table with `headroom:collect:install`; or correct the bucket's 'table'.",
            192, 193, 194, 195, 516 => "it does not accept this sender. Correct the bucket's 'auth' (in Laravel, then run `config:clear`).",
            164, 291, 497 => 'this sender may not insert there. Give its user the right to.',
            default => 'it does not understand the insert. Its own log says more.',
        }.' No event is set aside for that: all of them wait.');
    }
}
