<?php

declare(strict_types=1);

namespace Headroom\Spool\Flush;

use Headroom\Core\Clock;
use Headroom\Core\Position;
use Headroom\Spool\BucketConfig;
use Headroom\Spool\Claim;
use Headroom\Spool\Entries;
use Headroom\Spool\Letter;
use Headroom\Spool\Reason;
use Headroom\Spool\UnableToFlush;

/**
 * Makes a dead letter of an event. It counts once the cursor is past the event.
 *
 * @internal
 */
final readonly class Burial
{
    public function __construct(private Claim $claim, private BucketConfig $bucket, private Clock $clock, private FlushReport $report) {}

    /**
     * Durable when it returns.
     *
     * @throws UnableToFlush
     */
    public function bury(Position $position, string $reason): void
    {
        foreach ($this->claim->log->read($position) as $item) {
            if ($item instanceof Entries) {
                $line = explode("\n", $item->payloads[0])[$position->index] ?? '';
                $reason = Reason::of($reason);
                $this->report->firstDeath ??= $reason;
                $this->claim->letters->bury(Letter::of($this->claim->source, $position, $item->stretch->times[0], $this->clock->micros(), $this->bucket->sink, $reason, $line));

                return;
            }
        }

        throw UnableToFlush::undecodable($position->toString(), 'it is not where it was a moment ago. Check that disk.');
    }
}
