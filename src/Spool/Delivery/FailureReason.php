<?php

declare(strict_types=1);

namespace Headroom\Spool\Delivery;

use Headroom\Sink\NamesCause;
use Headroom\Support\TerminalText;
use Headroom\Support\Utf8Cut;
use Stringable;
use Throwable;

/**
 * Converts the reason of a failure to text that can be stored and shown. It comes from a sink's code, which may return
 * five megabytes, or no text at all.
 *
 * @internal
 */
final readonly class FailureReason
{
    /** Limit for a dead letter and for a flush report. */
    public const BYTES = 4096;

    /**
     * Limit for a state record, whose size is fixed (JSON doubles each backslash), and for a reason within another
     * message.
     */
    public const SHORT_BYTES = 600;

    /**
     * Leaves out the part of a message that says that the events stay in the buffer.
     *
     * @param int<100, max> $most bytes of the result
     */
    public static function ofDeath(mixed $said, int $most = self::BYTES): string
    {
        return self::of($said instanceof NamesCause ? $said->cause() : $said, $most);
    }

    /** @param int<100, max> $most bytes of the result */
    public static function of(mixed $said, int $most = self::BYTES): string
    {
        $text = match (true) {
            is_string($said) => $said,
            is_int($said), is_float($said) => (string) $said,
            $said instanceof Throwable => $said->getMessage(),
            $said instanceof Stringable => (string) $said,
            default => 'The sink gave no reason in words, but '.get_debug_type($said).'.',
        };
        $line = TerminalText::line(mb_scrub(Utf8Cut::cut($text, $most), 'UTF-8'));

        if (strlen($text) <= $most && strlen($line) <= $most) {
            return $line;
        }

        $mark = '… (cut: it has '.TerminalText::count(strlen($text), 'byte').')';

        return Utf8Cut::cut($line, $most - strlen($mark)).$mark;
    }
}
