<?php

declare(strict_types=1);

namespace Headroom\Spool\Store;

use Headroom\Core\Position;
use Headroom\Support\TerminalText;

/**
 * A place in the log where something is not as it was written.
 *
 * @internal
 */
final readonly class MissingRange
{
    /** @param bool $isKnown reported before: its bytes were set aside by an earlier flush */
    private function __construct(public Position $position, public string $message, public bool $alarming, public bool $isKnown = false) {}

    /** Normal after kill -9 in the middle of a write: nobody was told that it was accepted. */
    public static function torn(Position $position, int $bytes): self
    {
        return new self($position, "{$bytes} bytes of a frame that was never written whole, so never acknowledged", false);
    }

    /** @param ?string $keptIn null when there was no room for a copy */
    public static function damaged(Position $position, int $bytes, ?string $keptIn, bool $isKnown): self
    {
        $kept = $keptIn === null ? 'They could not be copied aside and lie in the segment only, until it is cleaned' : "The bytes are kept in {$keptIn}";

        return new self($position, "{$bytes} bytes are damaged and could not be read; acknowledged events may be among them. {$kept}", true, $isKnown);
    }

    public static function missing(Position $position, string $first, string $last): self
    {
        return new self($position, ($first === $last ? "segment {$first} is gone; spool:status counts its" : "the segments from {$first} to {$last} are gone; spool:status counts their").' events as missing', true);
    }

    /** Which of the events in between these were, only their letters told. */
    public static function lettersGone(Position $from, Position $to, int $events): self
    {
        return new self($from, TerminalText::count($events, 'event')." that the sink refused before this disk was set back, up to {$to->toString()}: the dead letters went with the disk; `spool:peek` shows the events in between until their segment is cleaned away", true);
    }

    /** From a stream, and by somebody else: the buffer removes only what is delivered. */
    public static function vanished(Position $position, int $events): self
    {
        return new self($position, TerminalText::count($events, 'event').' before this place vanished from Redis without having been delivered: somebody removed or trimmed entries of the stream, or set its counters back; spool:status counts them as missing', true);
    }

    /** @param int $events that this log had delivered and the ledger does not know any more */
    public static function deliveredBefore(Position $position, int $events): self
    {
        return new self($position, TerminalText::count($events, 'event').' that had been delivered are not in Redis any more, and the ledger has been set back: that database was restored, and only a backup of it has them', true);
    }

    /** Nobody knows whether they arrived. */
    public static function setAside(Position $position, int $events, string $reason): self
    {
        return new self($position, TerminalText::count($events, 'event').' from this machine\'s disk became dead letters, since nobody knows whether they arrived: '.rtrim($reason, '.'), true);
    }

    public static function strange(Position $position, string $id): self
    {
        return new self($position, "the stream's entry {$id} is none that the buffer made; it becomes a dead letter with the next flush", true);
    }

    public static function strangeSetAside(Position $position, string $id): self
    {
        return new self($position, "the stream's entry {$id} was none that the buffer made, and is a dead letter now: somebody else writes to that key", true);
    }

    /** @param int $events that were accepted and neither delivered nor dead when this machine looked last */
    public static function streamGone(string $before, string $now, int $events, string $when): self
    {
        return new self(Position::start(), "the stream {$before}, which this machine saw at {$when}, is gone and {$now} is in its place: Redis was emptied or lost its data, or the connection names another server, database or prefix. ".TerminalText::count($events, 'event').' that waited then had not been delivered; what was accepted after that is gone as well and can not be counted', true);
    }

    /**
     * @param int $forgotten events that Redis had and has not
     * @param int $lost of these, accepted ones that were not delivered
     * @param string $since when this machine looked last
     */
    public static function tailGone(string $bucket, int $forgotten, int $lost, string $since): self
    {
        $rest = $forgotten - $lost;

        return new self(Position::start(), ($lost === 0 ? '' : 'Redis has forgotten at least '.TerminalText::count($lost, 'event').' that it had accepted and that were not delivered').($lost > 0 && $rest > 0 ? ', and ' : '').($rest === 0 ? '' : ($lost > 0 ? '' : 'Redis has forgotten ').TerminalText::count($rest, 'event').' that had been delivered, or are dead letters by now').self::setBackBy($since)."; `spool:verify {$bucket}` has the account", true);
    }

    /**
     * @param int $forgotten events that Redis had and has not
     * @param int $lost of these, accepted ones that were not delivered, as far as it is known
     * @param int $letters events of which it is not known whether they were delivered
     * @param ?string $since when this machine looked last; null where it never did
     */
    public static function setBack(Position $position, string $bucket, int $forgotten, int $lost, int $letters, ?string $since): self
    {
        return new self($position, 'the ledger is ahead of the stream: Redis has forgotten '.($lost > 0 ? 'at least '.TerminalText::count($lost, 'event').' that it had accepted and that were not delivered' : TerminalText::count($forgotten, 'event').' that had been delivered, and all that it had accepted after these')
            .self::setBackBy($since)
            .($letters === 0 ? '' : '; '.TerminalText::count($letters, 'event').' became dead letters, since it is not known whether they were delivered: see `spool:failed '.$bucket.'`')
            ."; `spool:verify {$bucket}` has the account, and what is gone can come from its senders alone", true);
    }

    private static function setBackBy(?string $since): string
    {
        return ': an older dump of it was put back, it was restarted without its latest data, or a replica took over that was behind'.($since === null ? '' : ". What it accepted after {$since}, and lost, is not counted");
    }
}
