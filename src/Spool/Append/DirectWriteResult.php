<?php

declare(strict_types=1);

namespace Headroom\Spool\Append;

use Headroom\Core\Batch;
use Headroom\Core\Position;
use Headroom\Sink\Delivery;
use Headroom\Sink\PartialBatchFailure;
use Headroom\Sink\SingleEventSink;
use Headroom\Sink\Sink;
use Headroom\Spool\Delivery\SinkRegistry;
use Headroom\Spool\UnableToAppend;
use Throwable;

/**
 * Records that go to a plain sink past the buffer, and how many of them have arrived.
 *
 * @internal
 */
final class DirectWriteResult
{
    /** A call within a call of the same bucket; without an end it would take all memory. */
    private const DEEPEST = 8;

    /** @var int<0, max> */
    public int $count = 0;

    /** @var array<string, int> calls that have not returned yet, by bucket */
    private static array $depths = [];

    /** @throws Throwable what the sink threw; those that it was handed before have arrived */
    public function to(Sink $sink, Delivery $delivery, SinkRegistry $sinks): void
    {
        $bucket = $delivery->source->bucket;
        self::$depths[$bucket] = 1 + $depth = self::$depths[$bucket] ?? 0;

        try {
            $depth < self::DEEPEST ? $this->handTo($sink, $delivery, $sinks) : throw UnableToAppend::endless($bucket);
        } finally {
            self::$depths[$bucket] = $depth;
        }
    }

    /** @throws Throwable */
    private function handTo(Sink $sink, Delivery $delivery, SinkRegistry $sinks): void
    {
        foreach ($sink instanceof SingleEventSink ? $this->singles($delivery) : [$delivery] as $part) {
            try {
                $sinks->deliver($sink, $part);
            } catch (PartialBatchFailure $e) {
                $this->count += max(0, count($part->batch) - count($e->refused()));

                throw $e;
            }

            $this->count += count($part->batch);
        }
    }

    /** @return iterable<Delivery> */
    private function singles(Delivery $delivery): iterable
    {
        foreach ($delivery->batch as $record) {
            $place = $record->position;

            yield new Delivery($delivery->source, $place, new Position($place->segment, $place->offset + 1, 0), Batch::of([$record]));
        }
    }
}
