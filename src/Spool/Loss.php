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
    private function __construct(public Position $position, public string $message, public bool $alarming) {}

    /** Normal after kill -9 in the middle of a write: nobody was told that it was accepted. */
    public static function torn(Position $position, int $bytes): self
    {
        return new self($position, "{$bytes} bytes of a frame that was never written whole, so never acknowledged", false);
    }

    public static function damaged(Position $position, int $bytes, string $keptIn): self
    {
        return new self($position, "{$bytes} bytes are damaged and could not be read; acknowledged events may be among them. The bytes are kept in {$keptIn}", true);
    }

    public static function missing(Position $position, string $file): self
    {
        return new self($position, "segment {$file} is gone; spool:status counts its events as missing", true);
    }
}
