<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\Segment;

use Generator;
use Headroom\Spool\Exceptions\StorageUnavailable;
use Headroom\Spool\UnableToFlush;
use Headroom\Support\FileOperation;

use function fread;
use function fseek;
use function fstat;
use function hash;
use function is_int;
use function max;
use function min;
use function pack;
use function str_starts_with;
use function stream_set_read_buffer;
use function strlen;
use function strpos;
use function substr;
use function substr_compare;
use function unpack;

/**
 * Reads the frames of one segment, whatever has happened to it; docs/spool-format.md, "Reading a segment".
 *
 * Every byte belongs to exactly one frame, gap or seal. Time is linear in the bytes, memory bounded by the largest frame.
 *
 * Header below is magic, kind, length, offset, accepted; Found is end, kind, accepted, payload.
 *
 * @internal
 *
 * @phpstan-type Header array{m: int, k: int, l: int<0, max>, o: int, a: int}
 * @phpstan-type Found array{int<0, max>, int, int, string}
 */
final class SegmentReader
{
    private const CHUNK_BYTES = 262_144;

    /** Of frames in one item: few enough to be in the processor's cache when they are decoded. */
    private const RUN_BYTES = 32_768;

    /** Type, flags and count in one number, and names of one letter: unpack() makes each anew for every frame. */
    private const HEADER = 'Nm/Nk/Nl/Jo/Ja';

    /** Frame::MAGIC as the number that unpack() makes of it. */
    private const MAGIC = 0xF5485201;

    private const OFFSET_AT = 12;

    /** The bytes of the magic and of a seal; a checksum that ends with another is the frame's own. */
    private const MAY_BE_BORROWED = ["\xF5" => true, 'H' => true, 'R' => true, "\x01" => true, "\0" => true];

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
     * @param int<0, max> $from where a frame, a gap or a seal begins
     * @return Generator<int, Frame|CorruptRange>
     *
     * @throws UnableToFlush the disk does not give the bytes
     */
    public function read(int $from = 0): Generator
    {
        $position = $from;

        while ($position < $this->size) {
            $item = ($found = $this->frameAt($position)) === null ? $this->withoutFrame($position) : self::frame($position, $found);

            if (is_int($item)) {
                $position = $item;
            } else {
                $position = $item->end;

                yield $item;
            }
        }
    }

    /**
     * The same, with the frames of events that lie behind each other in one item: an object for each would cost half as
     * much as decoding it.
     *
     * @param int<0, max> $from
     * @return Generator<int, FrameRun|Frame|CorruptRange>
     *
     * @throws UnableToFlush
     */
    public function runs(int $from = 0): Generator
    {
        $position = $from;

        while ($position < $this->size) {
            [$offsets, $counts, $times, $payloads, $most, $found] = [[], [], [], [], $position + self::RUN_BYTES, null];

            while ($position < $most && ($found = $this->frameAt($position)) !== null && ($count = $found[1] & 0xFFFF) > 0 && $found[1] >> 24 === Frame::TYPE_EVENTS) {
                $offsets[] = $position;
                $counts[] = $count;
                [$position, , $times[], $payloads[]] = $found;
            }

            if ($payloads !== []) {
                $offsets[] = $position;

                yield new FrameRun($offsets, $counts, $times, $payloads);
            }

            if ($position < $most && $position < $this->size) {
                $item = $found === null ? $this->withoutFrame($position) : self::frame($position, $found);

                if (is_int($item)) {
                    $position = $item;
                } else {
                    $position = $item->end;

                    yield $item;
                }
            }
        }
    }

    /**
     * @param int<0, max> $position
     * @param Found $found
     */
    private static function frame(int $position, array $found): Frame
    {
        return new Frame($position, $found[0], $found[1] >> 24, $found[1] & 0xFFFF, $found[2], $found[3]);
    }

    /**
     * What is there where no valid frame begins.
     *
     * @param int<0, max> $position
     * @return Frame|CorruptRange|int<0, max> where to go on, when it was a seal and nothing else
     */
    private function withoutFrame(int $position): Frame|CorruptRange|int
    {
        $next = $this->nextFrame($position + 1);
        $end = $this->withoutSeal($position, $next);

        if ($end === $position) {
            return $next;
        }

        $bytes = $end - $position;
        $at = $bytes > Frame::OVERHEAD_BYTES + Frame::MAX_PAYLOAD_BYTES ? null : $this->hold($position, $bytes);
        $remains = $bytes > Frame::OVERHEAD_BYTES + Frame::MAX_PAYLOAD_BYTES ? null : new TornFrame($position, $at === null ? '' : substr($this->buffer, $at, $bytes));

        return $remains?->whole() ?? new CorruptRange($position, $next, $remains?->isTorn() ?? false);
    }

    /**
     * @param int<0, max> $position
     * @return ?Found
     */
    private function frameAt(int $position): ?array
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

        if ($header['o'] !== $position || $header['m'] !== self::MAGIC || $header['l'] > Frame::MAX_PAYLOAD_BYTES) {
            return null;
        }

        $bytes = $header['l'] + Frame::HEADER_BYTES;

        if ($at + $bytes + Frame::CHECKSUM_BYTES > strlen($this->buffer)) {
            $at = $this->hold($position, $bytes + Frame::CHECKSUM_BYTES);

            if ($at === null) {
                return null;
            }
        }

        $body = substr($this->buffer, $at, $bytes);
        $checksum = hash('crc32c', $body, true);
        $end = $position + $bytes + Frame::CHECKSUM_BYTES;

        return $checksum === substr($this->buffer, $at + $bytes, Frame::CHECKSUM_BYTES)
            && (! isset(self::MAY_BE_BORROWED[$checksum[3]]) || ! $this->isBorrowed($checksum, $end))
            ? [$end, $header['k'], $header['a'], substr($body, Frame::HEADER_BYTES)]
            : null;
    }

    /**
     * Whether a frame that was cut in its checksum has found the bytes that it lacks in what came behind it: the magic
     * of the next frame, which would begin too late then, or the zeros of a seal.
     *
     * @param int<0, max> $end
     */
    private function isBorrowed(string $checksum, int $end): bool
    {
        for ($bytes = 1; $bytes <= Frame::CHECKSUM_BYTES; $bytes++) {
            if (str_starts_with(Frame::MAGIC, substr($checksum, -$bytes)) && $this->isHeader($end - $bytes)) {
                return true;
            }
        }

        return $checksum[3] === "\0" && $this->isBorrowedSeal(strspn(strrev($checksum), "\0"), $end);
    }

    /**
     * A whole frame has its seal behind it, at the end of the file or with a frame behind; one that was cut has what is
     * left of it.
     *
     * @param int $own zeros at the frame's end
     * @param int<0, max> $end
     */
    private function isBorrowedSeal(int $own, int $end): bool
    {
        $most = min($this->size - $end, Frame::SEAL_BYTES + 2);
        $at = $this->hold($end, $most);
        $zeros = $at === null ? 0 : strspn($this->buffer, "\0", $at, $most);

        if ($at === null || $zeros === self::sealBytes($end) || ($zeros < $most ? $this->buffer[$at + $zeros] !== Frame::MAGIC[0] : $end + $zeros < $this->size)) {
            return false;
        }

        for ($bytes = 1; $bytes <= $own; $bytes++) {
            if ($bytes + $zeros === self::sealBytes($end - $bytes)) {
                return true;
            }
        }

        return false;
    }

    private static function sealBytes(int $end): int
    {
        return Frame::SEAL_BYTES + 1 - $end % 2;
    }

    /**
     * Where a stretch without a valid frame ends, the seal behind it left out: at the end of a sealed file, or before
     * what was appended after a sealer had been killed. A seal ends at an odd offset and a writer's frame at an even
     * one, so a frame whose last bytes were zeroed does not look like one that was cut.
     *
     * @param int<0, max> $position
     * @param int<0, max> $next
     * @return int<0, max>
     */
    private function withoutSeal(int $position, int $next): int
    {
        $most = min($next - $position, Frame::SEAL_BYTES + 1);
        $at = $next % 2 === 1 ? $this->hold($next - $most, $most) : null;
        $zeros = $at === null ? 0 : strspn(strrev(substr($this->buffer, $at, $most)), "\0");

        return $zeros >= Frame::SEAL_BYTES ? max(0, $next - $zeros) : $next;
    }

    /** The magic and its own offset are enough to believe in a beginning. The length is not asked: it can be mended. */
    private function isHeader(int $position): bool
    {
        $at = $this->hold($position, Frame::HEADER_BYTES);

        return $at !== null
            && substr_compare($this->buffer, Frame::MAGIC, $at, 4) === 0
            && substr_compare($this->buffer, pack('J', $position), $at + self::OFFSET_AT, 8) === 0;
    }

    /**
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

            if ($this->isHeader($position)) {
                return $position;
            }

            $position++;
        }

        return $this->size;
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
            $chunk = FileOperation::run(fn () => fread($this->handle, $missing), $reason);

            // A disk that fails for a moment must not look like damage, which is passed over.
            if ($chunk === false) {
                throw StorageUnavailable::notRead(stream_get_meta_data($this->handle)['uri'] ?? '', $position, $reason);
            }

            // Its writer has cut a part off meanwhile.
            if ($chunk === '') {
                return;
            }

            $this->buffer .= $chunk;
        }
    }
}
