<?php

declare(strict_types=1);

namespace Headroom\Spool\Exceptions;

use Headroom\Core\Permanent;
use Headroom\Spool\UnableToFlush;
use Headroom\Support\TerminalText;
use RuntimeException;

/**
 * Events in the log are damaged or missing. No event after that position is sent until you repair the log.
 */
final class CorruptSegment extends RuntimeException implements Permanent, UnableToFlush
{
    /** @param string $position in the log, or the bucket whose stream it is */
    private function __construct(string $message, public readonly string $position)
    {
        parent::__construct(TerminalText::line($message));
    }

    public static function undecodable(string $position, string $reason): self
    {
        return new self(
            "The event at {$position} cannot be read: {$reason} See docs/errors.md#corrupt-segment.",
            $position,
        );
    }

    public static function endMissing(string $bucket, string $end): self
    {
        return new self(
            "Bucket '{$bucket}' has a delivery in progress that ends at {$end}, and the log ends before it: a"
                .' segment is missing. Restore the segment; see docs/errors.md#corrupt-segment.',
            $end,
        );
    }
}
