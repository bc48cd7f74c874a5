<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\Segment;

use function hash;
use function pack;
use function preg_match;
use function str_starts_with;
use function strlen;
use function substr;
use function substr_replace;
use function unpack;

/**
 * A stretch of a file in which no valid frame begins, and what it can have been.
 *
 * @internal
 */
final readonly class TornFrame
{
    private const OFFSET_AT = 12;

    private const HEADER = 'Nkind/Nlength/Joffset/Jaccepted';

    /**
     * @param int<0, max> $position
     * @param string $bytes no more than the largest frame has; none when they were cut off since
     */
    public function __construct(private int $position, private string $bytes) {}

    /** Only the length may be damaged: then these bytes are the whole frame, and its checksum says so. */
    public function whole(): ?Frame
    {
        $bytes = strlen($this->bytes);

        if ($bytes < Frame::OVERHEAD_BYTES || ! str_starts_with($this->bytes, Frame::MAGIC)) {
            return null;
        }

        $body = substr_replace(substr($this->bytes, 0, -Frame::CHECKSUM_BYTES), pack('N', $bytes - Frame::OVERHEAD_BYTES), 8, 4);
        /** @var array{kind: int, length: int<0, max>, offset: int, accepted: int} $header */
        $header = unpack(self::HEADER, $body, strlen(Frame::MAGIC));

        return $header['offset'] === $this->position && hash('crc32c', $body, true) === substr($this->bytes, -Frame::CHECKSUM_BYTES)
            ? new Frame($this->position, $this->position + $bytes, $header['kind'] >> 24, $header['kind'] & 0xFFFF, $header['accepted'], substr($body, Frame::HEADER_BYTES))
            : null;
    }

    /** Whether they are the beginning of a frame that was cut, by the end of the file, a seal or the next writer's frame. */
    public function isTorn(): bool
    {
        if (! str_starts_with(Frame::MAGIC, substr($this->bytes, 0, strlen(Frame::MAGIC))) || ! str_starts_with(pack('J', $this->position), substr($this->bytes, self::OFFSET_AT, 8))) {
            return false;
        }

        if (strlen($this->bytes) < Frame::HEADER_BYTES) {
            return true;
        }

        /** @var array{kind: int, length: int<0, max>, offset: int, accepted: int} $header */
        $header = unpack(self::HEADER, $this->bytes, strlen(Frame::MAGIC));
        $checksum = Frame::HEADER_BYTES + $header['length'];

        return $header['length'] <= Frame::MAX_PAYLOAD_BYTES
            && $checksum + Frame::CHECKSUM_BYTES > strlen($this->bytes)
            && $this->isText(substr($this->bytes, Frame::HEADER_BYTES, $header['length']))
            && $this->isChecksum($checksum);
    }

    /**
     * Whether a payload can hold these bytes. A damaged frame that follows a torn one can not hide in it so: every
     * header has zeros.
     */
    private function isText(string $payload): bool
    {
        return preg_match('/[\x00-\x09\x0B-\x1F\xF5-\xFF]/', $payload) === 0;
    }

    /**
     * Whether a checksum begins there, if it does: a whole frame whose length became a little larger, with the first
     * bytes of a torn one behind it, must not pass for one that was cut in its checksum.
     */
    private function isChecksum(int $at): bool
    {
        return $at >= strlen($this->bytes) || str_starts_with(hash('crc32c', substr($this->bytes, 0, $at), true), substr($this->bytes, $at));
    }
}
