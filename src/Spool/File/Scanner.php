<?php

declare(strict_types=1);

namespace Headroom\Spool\File;

use Generator;
use Headroom\Core\Attempt;
use Headroom\Spool\UnableToFlush;

use function fread;
use function fseek;
use function fstat;
use function hash;
use function max;
use function min;
use function pack;
use function preg_match;
use function str_starts_with;
use function stream_set_read_buffer;
use function strlen;
use function strpos;
use function substr;
use function substr_compare;
use function substr_replace;
use function unpack;

/**
 * Reads the frames of one segment, whatever has happened to it; docs/spool-format.md, "Reading a segment".
 *
 * Every byte belongs to exactly one frame or gap. Time is linear in the bytes, memory bounded by the largest frame.
 *
 * @internal
 *
 * @phpstan-type Header array{magic: int, kind: int, length: int<0, max>, offset: int, accepted: int}
 */
final class Scanner
{
    private const CHUNK_BYTES = 262_144;

    /** Type, flags and count in one number, since each element unpack() makes is paid for once per frame. */
    private const HEADER = 'Nmagic/Nkind/Nlength/Joffset/Jaccepted';

    /** Frame::MAGIC as the number that unpack() makes of it. */
    private const MAGIC = 0xF5485201;

    private const OFFSET_AT = 12;

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
     *
     * @throws UnableToFlush the disk does not give the bytes
     */
    public function read(int $from = 0): Generator
    {
        $position = $from;

        while ($position < $this->size) {
            $item = $this->frameAt($position) ?? $this->resync($position);
            $position = $item->end;

            if ($item instanceof Frame || $item->offset !== $item->end - $this->sealBefore($item->end, $item->offset)) {
                yield $item;
            }
        }
    }

    /** @param int<0, max> $position */
    private function frameAt(int $position): ?Frame
    {
        $at = $position - $this->base;

        // hold(), spelled out: a call is a tenth of a small frame here.
        if ($at < 0 || $at + Frame::HEADER_BYTES > strlen($this->buffer)) {
            $at = $this->hold($position, Frame::HEADER_BYTES);

            if ($at === null) {
                return null;
            }
        }

        /** @var Header $header */
        $header = unpack(self::HEADER, $this->buffer, $at);

        if ($header['offset'] !== $position || $header['magic'] !== self::MAGIC || $header['length'] > Frame::MAX_PAYLOAD_BYTES) {
            return null;
        }

        $bytes = $header['length'] + Frame::HEADER_BYTES;

        if ($at + $bytes + Frame::CHECKSUM_BYTES > strlen($this->buffer)) {
            $at = $this->hold($position, $bytes + Frame::CHECKSUM_BYTES);

            if ($at === null) {
                return null;
            }
        }

        $body = substr($this->buffer, $at, $bytes);

        return hash('crc32c', $body, true) === substr($this->buffer, $at + $bytes, Frame::CHECKSUM_BYTES)
            ? new Frame($position, $position + $bytes + Frame::CHECKSUM_BYTES, $header['kind'] >> 24, $header['kind'] & 0xFFFF, $header['accepted'], substr($body, Frame::HEADER_BYTES))
            : null;
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

        return $this->frameOfDamagedLength($position, $end) ?? new Gap($position, $end, $this->isTorn($position, $end - $this->sealBefore($end, $position)));
    }

    /** @return int how many bytes of a seal lie before the end of a gap; it is not the end of the file where a sealer was killed */
    private function sealBefore(int $end, int $from): int
    {
        $most = min($end - $from, Frame::SEAL_BYTES + 1);
        $at = $this->hold($end - $most, $most);
        $zeros = $at === null ? 0 : strspn(strrev(substr($this->buffer, $at, $most)), "\0");

        return $zeros >= Frame::SEAL_BYTES ? $zeros : 0;
    }

    /**
     * The magic and its own offset are enough to believe in a beginning. The length is not asked: it can be mended.
     *
     * @param int<0, max> $position
     * @return int<0, max>
     */
    private function nextFrame(int $position): int
    {
        while (($at = $this->hold($position, Frame::HEADER_BYTES)) !== null) {
            $found = strpos($this->buffer, Frame::MAGIC, $at);

            if ($found === false) {
                // The magic may lie across the end of what is loaded.
                $position = max($position + 1, $this->base + strlen($this->buffer) - strlen(Frame::MAGIC) + 1);

                continue;
            }

            $position = max(0, $this->base + $found);
            $at = $this->hold($position, Frame::HEADER_BYTES);

            if ($at !== null && substr_compare($this->buffer, pack('J', $position), $at + self::OFFSET_AT, 8) === 0) {
                return $position;
            }

            $position++;
        }

        return $this->size;
    }

    /** @param int<0, max> $position */
    private function frameOfDamagedLength(int $position, int $end): ?Frame
    {
        $bytes = $end - $position;

        if ($bytes < Frame::OVERHEAD_BYTES || $bytes > Frame::OVERHEAD_BYTES + Frame::MAX_PAYLOAD_BYTES) {
            return null;
        }

        $at = $this->hold($position, $bytes);

        if ($at === null || ! str_starts_with($seen = substr($this->buffer, $at, $bytes - Frame::CHECKSUM_BYTES), Frame::MAGIC)) {
            return null;
        }

        $body = substr_replace($seen, pack('N', $bytes - Frame::OVERHEAD_BYTES), 8, 4);

        /** @var Header $header */
        $header = unpack(self::HEADER, $body);

        return $header['offset'] === $position && hash('crc32c', $body, true) === substr($this->buffer, $at + strlen($body), Frame::CHECKSUM_BYTES)
            ? new Frame($position, $position + $bytes, $header['kind'] >> 24, $header['kind'] & 0xFFFF, $header['accepted'], substr($body, Frame::HEADER_BYTES))
            : null;
    }

    /** Whether the bytes are the beginning of a frame that was cut, by the end of the file or by the next writer's frame. */
    private function isTorn(int $position, int $end): bool
    {
        $at = $this->hold($position, min(Frame::HEADER_BYTES, $end - $position));
        $seen = $at === null ? '' : substr($this->buffer, $at, min(Frame::HEADER_BYTES, $end - $position));
        $offset = substr($seen, self::OFFSET_AT, 8);

        if (! str_starts_with(Frame::MAGIC, substr($seen, 0, 4)) || ! str_starts_with(pack('J', $position), $offset)) {
            return false;
        }

        if (strlen($seen) < Frame::HEADER_BYTES) {
            return true;
        }

        /** @var Header $header */
        $header = unpack(self::HEADER, $seen);

        return $header['length'] <= Frame::MAX_PAYLOAD_BYTES
            && $position + Frame::OVERHEAD_BYTES + $header['length'] > $end
            && $this->isText($position + Frame::HEADER_BYTES, min($end, $position + Frame::HEADER_BYTES + $header['length']));
    }

    /**
     * Whether a payload can hold these bytes. A damaged frame that follows a torn one can not hide in it so: every
     * header has zeros.
     */
    private function isText(int $position, int $end): bool
    {
        $at = $this->hold($position, $end - $position);

        return $at !== null && preg_match('/[\x00-\x09\x0B-\x1F\xF5-\xFF]/', substr($this->buffer, $at, $end - $position)) === 0;
    }

    /** @return ?int where in the buffer the position is, with so many bytes behind it; null where the file has fewer */
    private function hold(int $position, int $bytes): ?int
    {
        $at = $position - $this->base;

        if ($at >= 0 && $at + $bytes <= strlen($this->buffer)) {
            return $at;
        }

        if ($position + $bytes > $this->size) {
            return null;
        }

        $this->load($position, max($bytes, self::CHUNK_BYTES));

        return strlen($this->buffer) >= $bytes ? 0 : null;
    }

    private function load(int $position, int $bytes): void
    {
        $at = $position - $this->base;
        $this->buffer = $at >= 0 && $at < strlen($this->buffer) ? substr($this->buffer, $at) : '';
        $this->base = $position;

        // Whoever got the last frame or gap may have moved the handle meanwhile.
        fseek($this->handle, $position + strlen($this->buffer));

        while (($missing = min($bytes, $this->size - $position) - strlen($this->buffer)) > 0) {
            $reason = '';
            $chunk = Attempt::run(fn () => fread($this->handle, $missing), $reason);

            // A disk that fails for a moment must not look like damage, which is passed over.
            if ($chunk === false) {
                throw UnableToFlush::notRead(stream_get_meta_data($this->handle)['uri'] ?? '', $position, $reason);
            }

            // Its writer has cut a part off meanwhile.
            if ($chunk === '') {
                return;
            }

            $this->buffer .= $chunk;
        }
    }
}
