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
 * Delivers records directly to a sink that does not implement SupportsDirectWrite, and counts those that have arrived.
 *
 * @internal
 */
final class DirectWriteResult
{
    /**
     * A sink may append to its own bucket, and the append comes here again. Without a limit that would use up all
     * memory.
     */
    private const MAX_DEPTH = 8;

    /** @var int<0, max> */
    public int $count = 0;

    /** @var array<string, int> calls that have not returned yet, by bucket */
    private static array $depths = [];

    /** @throws Throwable the sink's exception; the records delivered before it have arrived */
    public function deliver(Sink $sink, Delivery $delivery, SinkRegistry $sinks): void
    {
        $bucket = $delivery->source->bucket;
        self::$depths[$bucket] = 1 + $depth = self::$depths[$bucket] ?? 0;

        try {
            $depth < self::MAX_DEPTH
                ? $this->deliverParts($sink, $delivery, $sinks)
                : throw UnableToAppend::sinkWritesToOwnBucket($bucket);
        } finally {
            self::$depths[$bucket] = $depth;
        }
    }

    /** @throws Throwable */
    private function deliverParts(Sink $sink, Delivery $delivery, SinkRegistry $sinks): void
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
            $position = $record->position;

            yield new Delivery(
                $delivery->source,
                $position,
                new Position($position->segment, $position->offset + 1, 0),
                Batch::of([$record]),
            );
        }
    }
}
