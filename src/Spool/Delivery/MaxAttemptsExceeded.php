<?php

declare(strict_types=1);

namespace Headroom\Spool\Delivery;

use Headroom\Sink\InvalidRecords;
use Headroom\Support\TerminalText;
use RuntimeException;
use Throwable;

/**
 * The handling of one event has failed as often as the bucket allows.
 *
 * @internal
 */
final class MaxAttemptsExceeded extends RuntimeException implements InvalidRecords
{
    /** @param int<1, max> $times */
    public static function times(int $times, Throwable $last): self
    {
        return new self('It was tried '.TerminalText::count($times, 'time').'. The last failure: '.FailureReason::ofDeath($last), 0, $last);
    }

    /** @param int<1, max> $times */
    public static function withoutReturn(int $times): self
    {
        return new self('It was tried '.TerminalText::count($times, 'time').'. The last time the process that handled it ended in the middle of it.');
    }
}
