<?php

declare(strict_types=1);

namespace Headroom\Spool;

use Headroom\Core\Position;

/**
 * A place in the log where something is not as it was written.
 *
 * @internal
 */
final readonly class Loss
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
}
