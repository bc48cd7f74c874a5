<?php

declare(strict_types=1);

namespace Headroom\Spool\Delivery;

use Headroom\Sink\InvalidRecords;
use Headroom\Support\TerminalText;
use RuntimeException;
use Throwable;

/**
 * One event failed as often as the bucket allows (`tries`).
 *
 * @internal
 */
final class MaxAttemptsExceeded extends RuntimeException implements InvalidRecords
{
    /** @param int<1, max> $times */
    public static function times(int $times, Throwable $last): self
    {
        return new self(
            'The event was tried '.TerminalText::count($times, 'time').'. The last failure: '
                .FailureReason::ofDeath($last),
            0,
            $last,
        );
    }

    /** @param int<1, max> $times */
    public static function withoutReturn(int $times): self
    {
        return new self(
            'The event was tried '.TerminalText::count($times, 'time')
                .'. The last time, the process ended while it handled the event.',
        );
    }
}
