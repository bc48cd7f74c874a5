<?php

declare(strict_types=1);

namespace Headroom\Sink\ClickHouse;

use Headroom\Core\Printable;
use Headroom\Sink\RecordsRefused;
use Headroom\Sink\Transport\Endpoint;
use RuntimeException;

/**
 * The server could not make rows of a delivery, and has nothing of it.
 *
 * @internal catch Headroom\Sink\RecordsRefused
 */
final class RowsRefused extends RuntimeException implements RecordsRefused
{
    private function __construct(string $message)
    {
        parent::__construct($message);
    }

    public static function by(Endpoint $from, string $table, int $rows, Refusal $refusal): self
    {
        return new self("{$from->shown} refused ".Printable::count($rows, 'row')." for the table {$table}: {$refusal->reason()}");
    }
}
