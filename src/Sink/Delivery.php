<?php

declare(strict_types=1);

namespace Headroom\Sink;

use Headroom\Core\Batch;
use Headroom\Core\Position;
use Headroom\Core\Record;

/**
 * A range of a log, [from, to), and the records in it. A retry after a failure or a crash has the same range.
 *
 * Dead letters lie in the range but not in the batch.
 */
final readonly class Delivery
{
    /**
     * @param int<0, max> $dead number of dead letters in the range
     * @param string $checksum of the log's content up to $to; "" if the log has none
     */
    public function __construct(
        public Source $source,
        public Position $from,
        public Position $to,
        public Batch $batch,
        public int $dead = 0,
        public string $checksum = '',
    ) {}

    public function withChecksum(string $checksum): self
    {
        return new self($this->source, $this->from, $this->to, $this->batch, $this->dead, $checksum);
    }

    /**
     * The range of some of the records.
     *
     * @internal
     *
     * @param int<0, max> $from the first of them
     * @param int<1, max> $length
     */
    public function slice(int $from, int $length): self
    {
        return $this->part($this->batch->slice($from, $length), $from);
    }

    /**
     * @internal
     *
     * @return list<self> a range for each record
     */
    public function singles(): array
    {
        $singles = [];

        foreach ($this->batch->singles() as $number => $single) {
            $singles[] = $this->part($single, $number);
        }

        return $singles;
    }

    /** @param int<0, max> $first number of the first record in this batch */
    private function part(Batch $part, int $first): self
    {
        $from = $first === 0 ? $this->from : $this->batch->end($first - 1) ?? $this->from;

        return new self($this->source, $from, $this->batch->end($first + max(0, count($part) - 1)) ?? $this->to, $part);
    }

    /**
     * A delivery of records that were never in a log. The ids are random, since it is not retried.
     *
     * @param string $bucket the bucket that could not buffer the records
     * @param non-empty-list<Record> $records
     */
    public static function direct(string $bucket, array $records): self
    {
        return new self(
            new Source('direct-'.bin2hex(random_bytes(16)), $bucket),
            Position::start(),
            new Position(0, 1, 0),
            Batch::of($records),
        );
    }

    /** An idempotency key: every retry of this range has the same. */
    public function id(): string
    {
        $range = "{$this->source->toString()}/{$this->from->toString()}/{$this->to->toString()}";

        return $this->checksum === '' ? $range : "{$range}/".substr($this->checksum, 0, 16);
    }

    /** Unique across nodes and the same in every retry. */
    public function idOf(Record $record): string
    {
        return $record->ownId ?? $this->source->idOf($record->position, $record->acceptedAt);
    }
}
