<?php

declare(strict_types=1);

namespace Headroom\Sink\ClickHouse;

use Headroom\Sink\HttpClient\Endpoint;
use Headroom\Sink\PartialBatchFailure;
use Headroom\Support\TerminalText;
use RuntimeException;

/**
 * The server rejected each of these rows when it was sent alone, and stored all others.
 *
 * @internal catch Headroom\Sink\PartialBatchFailure
 */
final class SomeRowsRefused extends RuntimeException implements PartialBatchFailure
{
    /** @param non-empty-array<int<0, max>, string> $refused */
    private function __construct(string $message, private readonly array $refused)
    {
        parent::__construct($message);
    }

    /**
     * @param non-empty-array<int<0, max>, RowErrors> $refusals by the record's index in the batch
     * @param int $of number of events in the batch
     */
    public static function by(Endpoint $from, string $table, array $refusals, int $of): self
    {
        ksort($refusals);
        $reasons = array_map(
            static fn (RowErrors $refusal): string
                => "{$from->origin} rejected this row for the table {$table}: {$refusal->reason()}",
            $refusals,
        );

        return new self(
            "{$from->origin} rejected ".TerminalText::count(count($reasons), 'row')
                ." of {$of} for the table {$table}, the first with ".reset($refusals)->reason(),
            $reasons,
        );
    }

    public function refused(): array
    {
        return $this->refused;
    }
}
