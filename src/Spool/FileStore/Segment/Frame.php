<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\Segment;

use function hash;
use function pack;
use function strlen;

/**
 * One write of one writer; docs/spool-format.md, "A frame". All numbers are big-endian.
 *
 * @internal
 */
final readonly class Frame
{
    /** The first byte can not occur in UTF-8, so no payload can contain it; the last one is the format's version. */
    public const MAGIC = "\xF5HR\x01";

    public const HEADER_BYTES = 28;

    public const CHECKSUM_BYTES = 4;

    public const OVERHEAD_BYTES = self::HEADER_BYTES + self::CHECKSUM_BYTES;

    public const MAX_PAYLOAD_BYTES = 8_388_608;

    /** A sealed file ends with so many zero bytes, or one more: its size is odd. */
    public const SEAL_BYTES = 16;

    public const TYPE_HEADER = 0;

    public const TYPE_EVENTS = 1;

    /** What every frame of events begins with: magic, type, flags. */
    public const EVENTS = self::MAGIC."\x01\x00";

    /** What a slot begins with whose entry was on disk before its first frame. */
    public const ENTERED = self::MAGIC."\x00\x01";

    /**
     * @param int<0, max> $offset where it begins
     * @param int<0, max> $end where the next frame may begin
     * @param int<0, 65535> $count events in it
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

    /** @param bool $entered the slot's entry in its directory is on disk */
    public static function header(string $payload, int $acceptedAt, bool $entered = false): string
    {
        $frame = self::MAGIC.pack('CCnNJJ', self::TYPE_HEADER, (int) $entered, 0, strlen($payload), 0, $acceptedAt).$payload;

        return $frame.hash('crc32c', $frame, true);
    }

    public static function events(string $payload, int $count, int $offset, int $acceptedAt): string
    {
        $frame = self::EVENTS.pack('nNJJ', $count, strlen($payload), $offset, $acceptedAt).$payload;

        return $frame.hash('crc32c', $frame, true);
    }
}
