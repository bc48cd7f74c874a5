<?php

declare(strict_types=1);

namespace Headroom\Spool\Exceptions;

use Headroom\Core\Permanent;
use Headroom\Spool\UnableToFlush;
use Headroom\Support\TerminalText;
use RuntimeException;

/**
 * The sink rejects every event, so the sink is taken to be at fault and not the events. They stay in the buffer.
 */
final class SinkRejectsEverything extends RuntimeException implements Permanent, UnableToFlush
{
    /** @param int $events that the sink rejected */
    private function __construct(string $message, public readonly string $bucket, public readonly int $events)
    {
        parent::__construct(TerminalText::line($message));
    }

    public static function inARow(string $bucket, int $events, string $place, string $reason): self
    {
        return new self(
            "The sink of bucket '{$bucket}' rejected {$events} events in a row, up to the one at {$place}: {$reason}"
                .' Fix the sink; if the events are at fault, see docs/errors.md#sink-rejects-everything.',
            $bucket,
            $events,
        );
    }

    /** The sink has accepted events of earlier flushes, and none that wait now. */
    public static function sinceDeadLetters(string $bucket, int $dead, string $reason): self
    {
        return new self(
            "The sink of bucket '{$bucket}' rejected {$dead} events in a row (now dead letters) and rejects every"
                ." waiting event: {$reason} Fix the sink; if the events are at fault, see"
                .' docs/errors.md#sink-rejects-everything.',
            $bucket,
            $dead,
        );
    }

    public static function everyProbe(string $bucket, int $tried, string $reason): self
    {
        return new self("The sink of bucket '{$bucket}' rejects every event that the flush tried ("
            .TerminalText::count($tried, 'event')
            ."): {$reason} Fix the sink, then run `spool:flush {$bucket} --now`;"
            .' see docs/errors.md#sink-rejects-everything.', $bucket, $tried);
    }
}
