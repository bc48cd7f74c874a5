<?php

declare(strict_types=1);

namespace Headroom\Spool\Exceptions;

use Headroom\Core\Permanent;
use Headroom\Spool\UnableToFlush;
use Headroom\Support\TerminalText;
use RuntimeException;

/**
 * A command refused to go on, because undelivered events of the bucket would be skipped or doubled. Flush first.
 */
final class UndeliveredEvents extends RuntimeException implements Permanent, UnableToFlush
{
    private function __construct(string $message, public readonly string $bucket)
    {
        parent::__construct(TerminalText::line($message));
    }

    public static function skippedByReplay(string $bucket, string $cursor, string $target): self
    {
        return new self(
            "The cursor of bucket '{$bucket}' is at {$cursor}, and setting it to {$target} would skip the events"
                ." between the two. Deliver them first with `spool:flush {$bucket}`.",
            $bucket,
        );
    }

    public static function underOldId(string $bucket, int $events): self
    {
        return new self(
            "Bucket '{$bucket}' did not fork and has {$events} waiting events, which the other copy of this disk may"
                ." have too; nothing was changed. Deliver them once with `spool:flush {$bucket}` first.",
            $bucket,
        );
    }
}
