<?php

declare(strict_types=1);

namespace Headroom\Spool\Store;

use Headroom\Core\Position;
use Headroom\Support\TerminalText;

/**
 * A position in the log at which bytes or events are damaged or missing, and the message that reports it.
 *
 * @internal
 */
final readonly class MissingRange
{
    /** @param bool $isKnown true when an earlier flush has reported the damage and copied its bytes to quarantine/ */
    private function __construct(
        public Position $position,
        public string $message,
        public bool $isAlarming,
        public bool $isKnown = false,
    ) {}

    /** Normal after kill -9 during a write: the append was never acknowledged. */
    public static function torn(Position $position, int $bytes): self
    {
        return new self(
            $position,
            "{$bytes} bytes of a torn frame, which was never acknowledged",
            false,
        );
    }

    /** @param ?string $keptIn path of the copy; null when there was no room for one */
    public static function damaged(Position $position, int $bytes, ?string $keptIn, bool $isKnown): self
    {
        $kept = $keptIn === null
            ? 'They could not be copied, so only the segment has them, until it is cleaned'
            : "The bytes are kept in {$keptIn}";

        return new self(
            $position,
            "{$bytes} bytes are damaged and could not be read; acknowledged events may be among them. {$kept}",
            true,
            $isKnown,
        );
    }

    public static function missing(Position $position, string $first, string $last): self
    {
        return new self(
            $position,
            ($first === $last
                ? "segment {$first} is gone; spool:status counts its"
                : "the segments from {$first} to {$last} are gone; spool:status counts their")
                .' events as missing',
            true,
        );
    }

    /** The message can only name the range, because only the lost dead letters said which events of it were refused. */
    public static function lettersGone(Position $from, Position $to, int $events): self
    {
        return new self($from, TerminalText::count($events, 'event')." up to {$to->toString()} that the sink refused"
            .' before this disk was set back: their dead letters are lost. `spool:peek` shows the events of the range'
            .' until its segment is cleaned', true);
    }

    /** The buffer removes only delivered entries from a stream, so another program has removed these. */
    public static function vanished(Position $position, int $events): self
    {
        return new self($position, TerminalText::count($events, 'event').' before this position vanished from Redis'
            .' undelivered: another program removed or trimmed entries of the stream, or set its counters back.'
            .' spool:status counts them as missing', true);
    }

    /** @param int $events number of delivered events that the ledger no longer knows */
    public static function deliveredBefore(Position $position, int $events): self
    {
        return new self($position, TerminalText::count($events, 'event').' that had been delivered are no longer in'
            .' Redis, and the ledger was set back: the database was restored. Only a backup of the database has'
            .' these events', true);
    }

    /** Reports events that may have arrived before. */
    public static function setAside(Position $position, int $events, string $reason): self
    {
        return new self(
            $position,
            TerminalText::count($events, 'event')
                .' from this machine\'s disk became dead letters, because it is unknown whether they arrived: '
                .rtrim($reason, '.'),
            true,
        );
    }

    public static function foreignEntry(Position $position, string $id): self
    {
        return new self(
            $position,
            "the stream's entry {$id} was not written by the buffer; the next flush makes it a dead letter",
            true,
        );
    }

    public static function foreignEntrySetAside(Position $position, string $id): self
    {
        return new self($position, "the stream's entry {$id} was not written by the buffer and is a dead letter now:"
            .' another program writes to that key', true);
    }

    /**
     * @param int $events number of accepted events that were neither delivered nor dead at this machine's last check
     */
    public static function streamGone(string $before, string $now, int $events, string $when): self
    {
        return new self(
            Position::start(),
            "the stream {$before}, last seen at {$when}, was replaced by {$now}: Redis was emptied or lost its data,"
                .' or the connection names another server, database or prefix. '
                .TerminalText::count($events, 'event')
                .' waited then and had not been delivered; events accepted later are lost as well and cannot be'
                .' counted',
            true,
        );
    }

    /**
     * @param int $forgotten number of events that Redis had and no longer has
     * @param int $lost number of these that were accepted and not delivered
     * @param string $since time of this machine's last check
     */
    public static function tailGone(string $bucket, int $forgotten, int $lost, string $since): self
    {
        $rest = $forgotten - $lost;

        return new self(
            Position::start(),
            ($lost === 0
                ? ''
                : 'Redis has forgotten at least '.TerminalText::count($lost, 'event')
                    .' that it had accepted and that were not delivered')
                .($lost > 0 && $rest > 0 ? ', and ' : '')
                .($rest === 0
                    ? ''
                    : ($lost > 0 ? '' : 'Redis has forgotten ').TerminalText::count($rest, 'event')
                        .' that had been delivered, or are dead letters now')
                .self::setBackBy($since)."; `spool:verify {$bucket}` shows the counts",
            true,
        );
    }

    /**
     * @param int $forgotten number of events that Redis had and no longer has
     * @param int $lost number of these that are known to be accepted and not delivered
     * @param int $letters number of events of which it is unknown whether they were delivered
     * @param ?string $since time of this machine's last check; null when there was none
     */
    public static function setBack(
        Position $position,
        string $bucket,
        int $forgotten,
        int $lost,
        int $letters,
        ?string $since,
    ): self {
        return new self(
            $position,
            'the ledger is ahead of the stream: Redis has forgotten '
                .($lost > 0
                    ? 'at least '.TerminalText::count($lost, 'event')
                        .' that it had accepted and that were not delivered'
                    : TerminalText::count($forgotten, 'event')
                        .' that had been delivered, and all events that it had accepted after these')
                .self::setBackBy($since)
                .($letters === 0
                    ? ''
                    : '; '.TerminalText::count($letters, 'event')
                        .' became dead letters, because it is unknown whether they were delivered: see `spool:failed '
                        .$bucket.'`')
                ."; `spool:verify {$bucket}` shows the counts, and only the senders can send lost events again",
            true,
        );
    }

    private static function setBackBy(?string $since): string
    {
        return ': an older dump was restored, Redis restarted without its latest data, or a replica took over that'
            .' was behind'
            .($since === null ? '' : ". Events that it accepted after {$since} and lost are not counted");
    }
}
