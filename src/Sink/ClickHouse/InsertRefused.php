<?php

declare(strict_types=1);

namespace Headroom\Sink\ClickHouse;

use Headroom\Sink\HttpClient\Endpoint;
use Headroom\Sink\InvalidRecords;
use Headroom\Support\TerminalText;
use RuntimeException;

/**
 * The server could not parse rows of a delivery and stored none of its rows.
 *
 * @internal catch Headroom\Sink\InvalidRecords
 */
final class InsertRefused extends RuntimeException implements InvalidRecords
{
    private function __construct(string $message)
    {
        parent::__construct($message);
    }

    public static function by(Endpoint $from, string $table, int $rows, RowErrors $refusal): self
    {
        return new self(
            "{$from->origin} rejected ".TerminalText::count($rows, 'row')
                ." for the table {$table}: {$refusal->reason()}",
        );
    }
}
