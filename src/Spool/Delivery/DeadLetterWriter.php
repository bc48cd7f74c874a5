<?php

declare(strict_types=1);

namespace Headroom\Spool\Delivery;

use Headroom\Core\Clock;
use Headroom\Core\Position;
use Headroom\Spool\BucketConfig;
use Headroom\Spool\Exceptions\CorruptSegment;
use Headroom\Spool\Store\ConsumerLease;
use Headroom\Spool\Store\DeadLetter;
use Headroom\Spool\Store\LogEntries;
use Headroom\Spool\UnableToFlush;

/**
 * Writes the dead letter of an event. The letter counts once the cursor is past the event.
 *
 * @internal
 */
final readonly class DeadLetterWriter
{
    public function __construct(
        private ConsumerLease $lease,
        private BucketConfig $bucket,
        private Clock $clock,
        private FlushReport $report,
    ) {}

    /**
     * Returns once the letter is durable.
     *
     * @throws UnableToFlush
     */
    public function write(Position $position, string $reason): void
    {
        foreach ($this->lease->read($position) as $item) {
            if ($item instanceof LogEntries) {
                $line = explode("\n", $item->payloads[0])[$position->index] ?? '';
                $reason = FailureReason::of($reason);
                $this->report->firstDeath ??= $reason;
                $this->lease->letters()->add(DeadLetter::of(
                    $this->lease->source(),
                    $position,
                    $item->times[0],
                    $this->clock->micros(),
                    $this->bucket->sink,
                    $reason,
                    $line,
                ));

                return;
            }
        }

        throw CorruptSegment::undecodable(
            $position->toString(),
            'its line has changed since the flush read it. Check that disk.',
        );
    }
}
