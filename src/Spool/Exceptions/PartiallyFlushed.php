<?php

declare(strict_types=1);

namespace Headroom\Spool\Exceptions;

use Headroom\Core\HeadroomException;
use Headroom\Core\Retryable;
use Headroom\Spool\UnableToFlush;
use Headroom\Support\TerminalText;
use RuntimeException;

/**
 * A part of the bucket was left out. The rest of it is delivered, and the next flush tries that part again.
 */
final class PartiallyFlushed extends RuntimeException implements Retryable, UnableToFlush
{
    private function __construct(string $message, HeadroomException $cause)
    {
        parent::__construct(TerminalText::line($message), 0, $cause);
    }

    /** @param int $others segments that could not be sealed either */
    public static function segmentsLeftOut(UnableToFlush $first, int $others): self
    {
        $more = $others === 0 ? '' : ' '.TerminalText::count($others, 'more segment').' could not be sealed either.';

        return new self("{$first->getMessage()}{$more} The bucket's other segments are delivered.", $first);
    }

    public static function notDrained(string $bucket, HeadroomException $cause): self
    {
        return new self("Some or all events of bucket '{$bucket}' on this machine's disk were not moved to Redis:"
            ." {$cause->getMessage()} Events in Redis are delivered.", $cause);
    }
}
