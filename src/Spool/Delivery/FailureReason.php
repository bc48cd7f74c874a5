<?php

declare(strict_types=1);

namespace Headroom\Spool\Delivery;

use Headroom\Sink\NamesCause;
use Headroom\Support\TerminalText;
use Headroom\Support\Utf8Cut;
use Stringable;
use Throwable;

/**
 * Why something was not delivered, as it is kept and told: a sink's code has said it, in five megabytes perhaps, or not
 * even in words.
 *
 * @internal
 */
final readonly class FailureReason
{
    /** Of a dead letter, and of what a flush tells. */
    public const BYTES = 4096;

    /**
     * Of what stands in a state record, which has a size (and JSON makes two bytes of a backslash),
     * or within another text.
     */
    public const SHORT_BYTES = 600;

    /**
     * As it is true of an event that does not stay in the buffer.
     *
     * @param int<100, max> $most bytes of the answer
     */
    public static function ofDeath(mixed $said, int $most = self::BYTES): string
    {
        return self::of($said instanceof NamesCause ? $said->cause() : $said, $most);
    }

    /** @param int<100, max> $most bytes of the answer */
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
