<?php

declare(strict_types=1);

namespace Headroom\Testing;

use DateTimeImmutable;
use Headroom\Core\Batch;
use Headroom\Core\Bytes;
use Headroom\Core\Json;
use Headroom\Core\Position;
use Headroom\Core\Record;
use Headroom\Sink\Delivery;
use Headroom\Sink\Source;

/**
 * A log in memory: each delivery begins where the previous one ends.
 */
final class ContractLog
{
    private const ACCEPTED_AT = 1_750_000_000_000_000;

    private Position $end;

    public function __construct(public readonly Source $source)
    {
        $this->end = Position::start();
    }

    public static function of(string $bucket): self
    {
        return new self(new Source(bin2hex(random_bytes(16)), $bucket));
    }

    public function end(): Position
    {
        return $this->end;
    }

    /** @param non-empty-list<non-empty-array<string, scalar|null|Json|Bytes|DateTimeImmutable>> $rows */
    public function delivery(array $rows): Delivery
    {
        $records = [];
        $segment = $this->end->segment + 1;

        // One frame for each row: in a real log a batch spans many frames too.
        foreach ($rows as $number => $values) {
            $records[] = new Record(new Position($segment, 100 * $number, 0), self::ACCEPTED_AT + $number, $values);
        }

        $from = $this->end;
        $this->end = new Position($segment, 100 * count($rows), 0);

        return new Delivery($this->source, $from, $this->end, Batch::of($records));
    }
}
