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
 * A range of a file in which no valid frame begins. It may be a frame with a damaged length, a torn frame, or damage.
 *
 * @internal
 */
final readonly class TornFrame
{
    private const OFFSET_AT = 12;

    private const HEADER = 'Nkind/Nlength/Joffset/Jaccepted';

    /**
     * @param int<0, max> $position
     * @param string $bytes at most as many as the largest frame has; empty when the writer has cut them off since
     */
    public function __construct(private int $position, private string $bytes) {}

    /** Returns the frame when only its length is damaged: with the corrected length, the checksum matches. */
    public function whole(): ?Frame
    {
        $bytes = strlen($this->bytes);

        if ($bytes < Frame::OVERHEAD_BYTES || ! str_starts_with($this->bytes, Frame::MAGIC)) {
            return null;
        }

        $body = substr_replace(
            substr($this->bytes, 0, -Frame::CHECKSUM_BYTES),
            pack('N', $bytes - Frame::OVERHEAD_BYTES),
            8,
            4,
        );
        /** @var array{kind: int, length: int<0, max>, offset: int, accepted: int} $header */
        $header = unpack(self::HEADER, $body, strlen(Frame::MAGIC));

        return $header['offset'] === $this->position
                && hash('crc32c', $body, true) === substr($this->bytes, -Frame::CHECKSUM_BYTES)
            ? new Frame(
                $this->position,
                $this->position + $bytes,
                $header['kind'] >> 24,
                $header['kind'] & 0xFFFF,
                $header['accepted'],
                substr($body, Frame::HEADER_BYTES),
            )
            : null;
    }

    /**
     * Whether the bytes begin a frame that was cut by the end of the file, by a seal or by the frame of the next
     * writer.
     */
    public function isTorn(): bool
    {
        if (
            ! str_starts_with(Frame::MAGIC, substr($this->bytes, 0, strlen(Frame::MAGIC)))
            || ! str_starts_with(pack('J', $this->position), substr($this->bytes, self::OFFSET_AT, 8))
        ) {
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
            && $this->canBePayload(substr($this->bytes, Frame::HEADER_BYTES, $header['length']))
            && $this->beginsChecksum($checksum);
    }

    /**
     * Whether a payload can hold these bytes. Every header has zero bytes, which no payload has, so a damaged frame
     * behind a torn one cannot pass for a part of its payload.
     */
    private function canBePayload(string $payload): bool
    {
        return preg_match('/[\x00-\x09\x0B-\x1F\xF5-\xFF]/', $payload) === 0;
    }

    /**
     * Whether the bytes from there on, if there are any, begin the frame's checksum. A whole frame whose length has
     * become a little larger, with the first bytes of a torn frame behind it, must not pass for a frame that was cut in
     * its checksum.
     */
    private function beginsChecksum(int $at): bool
    {
        return $at >= strlen($this->bytes)
            || str_starts_with(hash('crc32c', substr($this->bytes, 0, $at), true), substr($this->bytes, $at));
    }
}
