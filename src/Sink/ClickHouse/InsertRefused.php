<?php

declare(strict_types=1);

namespace Headroom\Sink\ClickHouse;

use Headroom\Sink\HttpClient\Endpoint;
use Headroom\Sink\InvalidRecords;
use Headroom\Support\TerminalText;
use RuntimeException;

/**
 * The server could not make rows of a delivery, and has nothing of it.
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
        return new self("{$from->shown} refused ".TerminalText::count($rows, 'row')." for the table {$table}: {$refusal->reason()}");
    }
}
