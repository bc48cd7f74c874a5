<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\Segment;

use function hash;
use function pack;
use function strlen;

/**
 * A frame: the bytes of one write, with the events of one append; docs/spool-format.md, "A frame". All numbers are
 * big-endian.
 *
 * @internal
 */
final readonly class Frame
{
    /**
     * The first byte cannot occur in UTF-8, so no payload can contain it; the last byte is the version of the format.
     */
    public const MAGIC = "\xF5HR\x01";

    public const HEADER_BYTES = 28;

    public const CHECKSUM_BYTES = 4;

    public const OVERHEAD_BYTES = self::HEADER_BYTES + self::CHECKSUM_BYTES;

    public const MAX_PAYLOAD_BYTES = 8_388_608;

    /** A sealed file ends with this many zero bytes or one more, so that its size is odd. */
    public const SEAL_BYTES = 16;

    public const TYPE_HEADER = 0;

    public const TYPE_EVENTS = 1;

    /** The first bytes of every frame of events: magic, type, flags. */
    public const EVENTS = self::MAGIC."\x01\x00";

    /** The first bytes of a segment whose directory entry was on disk before its first frame. */
    public const ENTRY_SYNCED = self::MAGIC."\x00\x01";

    /**
     * @param int<0, max> $offset where the frame begins
     * @param int<0, max> $end where the next frame may begin
     * @param int<0, 65535> $count number of events
     * @param int $acceptedAt microseconds since the Unix epoch
     * @param string $payload one line of JSON per event, joined by "\n"
     */
    public function __construct(
        public int $offset,
        public int $end,
        public int $type,
        public int $count,
        public int $acceptedAt,
        public string $payload,
    ) {}

    /** @param bool $entrySynced whether the segment's directory entry is on disk */
    public static function header(string $payload, int $acceptedAt, bool $entrySynced = false): string
    {
        $frame = self::MAGIC.pack('CCnNJJ', self::TYPE_HEADER, (int) $entrySynced, 0, strlen($payload), 0, $acceptedAt)
            .$payload;

        return $frame.hash('crc32c', $frame, true);
    }

    public static function events(string $payload, int $count, int $offset, int $acceptedAt): string
    {
        $frame = self::EVENTS.pack('nNJJ', $count, strlen($payload), $offset, $acceptedAt).$payload;

        return $frame.hash('crc32c', $frame, true);
    }
}
