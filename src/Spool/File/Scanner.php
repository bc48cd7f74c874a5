<?php

declare(strict_types=1);

namespace Headroom\Spool\File;

use Generator;

/**
 * Reads the frames of one segment, whatever has happened to it; docs/spool-format.md, "Reading a segment".
 *
 * Every byte belongs to exactly one frame or gap. Time is linear in the bytes, memory bounded by the largest frame.
 *
 * @internal
 */
final class Scanner
{
    private const CHUNK_BYTES = 262_144;

    private string $buffer = '';

    /** Where in the file the buffer begins. */
    private int $base = 0;

    /** @var int<0, max> bytes there were at the beginning; what others append meanwhile is not looked at */
    public readonly int $size;

    /** @param resource $handle readable */
    public function __construct(private $handle)
    {
        $this->size = max(0, fstat($handle)['size'] ?? 0);

        // PHP would read in pieces of 8 KiB otherwise.
        stream_set_read_buffer($handle, 0);
    }

    /**
     * @param int<0, max> $from where a frame or gap begins
     * @return Generator<int, Frame|Gap>
     */
    public function read(int $from = 0): Generator
    {
        $position = $from;

        while ($position < $this->size) {
            $item = $this->frameAt($position) ?? $this->resync($position);

            yield $item;

            $position = $item->end;
        }
    }

    /** @param int<0, max> $position */
    private function frameAt(int $position): ?Frame
    {
        $at = $position - $this->base;

        if ($at < 0 || $at + Frame::HEADER_BYTES > strlen($this->buffer)) {
            $this->load($position, Frame::OVERHEAD_BYTES);
            $at = 0;
        }

        $header = $this->headerAt($at, $position);

        if ($header === null) {
            return null;
        }

        $length = Frame::OVERHEAD_BYTES + $header['length'];

        if ($position + $length > $this->size) {
            return null;
        }

        if ($at + $length > strlen($this->buffer)) {
            $this->load($position, $length);
            $at = 0;
        }

        $body = substr($this->buffer, $at, $length - Frame::CHECKSUM_BYTES);

        if (Frame::checksumOf($body) !== substr($this->buffer, $at + $length - Frame::CHECKSUM_BYTES, Frame::CHECKSUM_BYTES)) {
            return null;
        }

        return $this->frame($header, $body, $position, $position + $length);
    }

    /**
     * A header that can be believed enough to begin a frame there: the magic, its own offset, a length within the limit.
     *
     * @return array{type: int, count: int<0, 65535>, length: int<0, max>, accepted: int}|null
     */
    private function headerAt(int $at, int $position): ?array
    {
        if (substr_compare($this->buffer, Frame::MAGIC, $at, 4) !== 0 || $at + Frame::HEADER_BYTES > strlen($this->buffer)) {
            return null;
        }

        /** @var array{type: int, count: int<0, 65535>, length: int<0, max>, offset: int, accepted: int} $header */
        $header = unpack('x4/Ctype/x/ncount/Nlength/Joffset/Jaccepted', $this->buffer, $at);

        return $header['offset'] === $position && $header['length'] <= Frame::MAX_PAYLOAD_BYTES ? $header : null;
    }

    /**
     * @param array{type: int, count: int<0, 65535>, length: int, accepted: int} $header
     * @param int<0, max> $position
     * @param int<0, max> $end
     */
    private function frame(array $header, string $body, int $position, int $end): Frame
    {
        return new Frame($position, $end, $header['type'], $header['count'], $header['accepted'], substr($body, Frame::HEADER_BYTES));
    }

    /**
     * No valid frame begins here. Everything up to the next place where one can begin is a gap, unless only the length
     * was damaged: then the bytes in between are the whole frame, and its checksum says so.
     *
     * @param int<0, max> $position
     */
    private function resync(int $position): Frame|Gap
    {
        $end = $this->nextFrame($position + 1);

        return $this->frameOfDamagedLength($position, $end) ?? new Gap($position, $end, $this->isTorn($position, $end));
    }

    /** @return int<0, max> */
    private function nextFrame(int $position): int
    {
        while ($position < $this->size) {
            $this->load($position, Frame::OVERHEAD_BYTES);
            $at = strpos($this->buffer, Frame::MAGIC);

            if ($at === false) {
                // The magic may lie across the end of what is loaded.
                $position += max(1, strlen($this->buffer) - strlen(Frame::MAGIC) + 1);

                continue;
            }

            $position += $at;
            $this->load($position, Frame::OVERHEAD_BYTES);

            if ($this->headerAt(0, $position) !== null) {
                return $position;
            }

            $position++;
        }

        return $this->size;
    }

    private function frameOfDamagedLength(int $position, int $end): ?Frame
    {
        $length = $end - $position;

        if ($length < Frame::OVERHEAD_BYTES || $length > Frame::OVERHEAD_BYTES + Frame::MAX_PAYLOAD_BYTES) {
            return null;
        }

        $this->load($position, $length);
        $body = substr($this->buffer, 0, $length - Frame::CHECKSUM_BYTES);
        $mended = substr_replace($body, pack('N', $length - Frame::OVERHEAD_BYTES), 8, 4);

        if (Frame::checksumOf($mended) !== substr($this->buffer, $length - Frame::CHECKSUM_BYTES, Frame::CHECKSUM_BYTES)) {
            return null;
        }

        /** @var array{type: int, count: int<0, 65535>, length: int, offset: int, accepted: int} $header */
        $header = unpack('x4/Ctype/x/ncount/Nlength/Joffset/Jaccepted', $mended);

        return str_starts_with($mended, Frame::MAGIC) && $header['offset'] === $position ? $this->frame($header, $mended, $position, max(0, $end)) : null;
    }

    /** Whether the bytes are the beginning of a frame that was cut, by the end of the file or by the next writer's frame. */
    private function isTorn(int $position, int $end): bool
    {
        $this->load($position, Frame::HEADER_BYTES);
        $seen = substr($this->buffer, 0, min(Frame::HEADER_BYTES, $end - $position));

        if (strncmp($seen, Frame::MAGIC, min(4, strlen($seen))) !== 0) {
            return false;
        }

        // As much of the own offset as there is must be right.
        $offset = substr($seen, 12, 8);

        if (strncmp($offset, pack('J', $position), strlen($offset)) !== 0) {
            return false;
        }

        if (strlen($seen) < Frame::HEADER_BYTES) {
            return true;
        }

        /** @var array{length: int} $header */
        $header = unpack('Nlength', $seen, 8);

        return $header['length'] <= Frame::MAX_PAYLOAD_BYTES && $position + Frame::OVERHEAD_BYTES + $header['length'] > $end;
    }

    /** Makes the buffer begin at the position and hold so many bytes, or as many as there are. */
    private function load(int $position, int $bytes): void
    {
        $at = $position - $this->base;
        $loaded = strlen($this->buffer);

        if ($at < 0 || $at > $loaded) {
            fseek($this->handle, $position);
            $this->buffer = '';
        } elseif ($at > 0) {
            $this->buffer = substr($this->buffer, $at);
        }

        $this->base = $position;
        $wanted = min(max($bytes, self::CHUNK_BYTES), $this->size - $position);

        if (strlen($this->buffer) >= min($bytes, $wanted)) {
            return;
        }

        while (($missing = $wanted - strlen($this->buffer)) > 0) {
            $chunk = fread($this->handle, max(1, $missing));

            if ($chunk === false || $chunk === '') {
                return;
            }

            $this->buffer .= $chunk;
        }
    }
}
