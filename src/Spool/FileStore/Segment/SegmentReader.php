<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\Segment;

use Generator;
use Headroom\Core\Position;
use Headroom\Spool\Exceptions\StorageUnavailable;
use Headroom\Spool\Store\LogEntries;
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
 * Reads the frames of one segment, including one that is torn or damaged; docs/spool-format.md, "Reading a segment".
 *
 * Every byte belongs to exactly one frame, corrupt range or seal. The time is linear in the bytes, and the memory is
 * bounded by the largest frame.
 *
 * In the types below, Header is magic, kind, length, offset, accepted; Found is end, kind, accepted, payload.
 *
 * @internal
 *
 * @phpstan-type Header array{m: int, k: int, l: int<0, max>, o: int, a: int}
 * @phpstan-type Found array{int<0, max>, int, int, string}
 */
final class SegmentReader
{
    private const CHUNK_BYTES = 262_144;

    /** Bytes of frames in one run: few enough to be in the processor's cache still when they are decoded. */
    private const RUN_BYTES = 32_768;

    /**
     * Type, flags and count form one number, and the names have one letter: unpack() creates each again for every
     * frame.
     */
    private const HEADER = 'Nm/Nk/Nl/Jo/Ja';

    /** Frame::MAGIC as the number that unpack() returns for it. */
    private const MAGIC = 0xF5485201;

    private const OFFSET_AT = 12;

    /**
     * The bytes of the magic and of a seal. A checksum that ends with any other byte was not completed by a magic or a
     * seal behind the frame.
     */
    private const MAY_BE_BORROWED = ["\xF5" => true, 'H' => true, 'R' => true, "\x01" => true, "\0" => true];

    private string $buffer = '';

    /** Offset in the file at which the buffer begins. */
    private int $base = 0;

    /** @var int<0, max> size of the file when the reader was created; later appends are ignored */
    public readonly int $size;

    /** @param resource $handle readable */
    public function __construct(private $handle)
    {
        $this->size = max(0, fstat($handle)['size'] ?? 0);

        // Otherwise PHP would read in pieces of 8 KiB.
        stream_set_read_buffer($handle, 0);
    }

    /**
     * @param int<0, max> $from where a frame, a corrupt range or a seal begins
     * @return Generator<int, Frame|CorruptRange>
     *
     * @throws UnableToFlush when the disk does not return the bytes
     */
    public function read(int $from = 0): Generator
    {
        $position = $from;

        while ($position < $this->size) {
            $item = ($found = $this->frameAt($position)) === null
                ? $this->withoutFrame($position)
                : self::frame($position, $found);

            if (is_int($item)) {
                $position = $item;
            } else {
                $position = $item->end;

                yield $item;
            }
        }
    }

    /**
     * Does the same as read(), and yields consecutive frames of events as one item.
     *
     * @param int<1, max> $segment
     * @param ?Position $from in the segment, or null for its beginning
     * @return Generator<int, LogEntries|Frame|CorruptRange>
     *
     * @throws UnableToFlush
     */
    public function runs(int $segment, ?Position $from = null): Generator
    {
        $position = $from->offset ?? 0;

        while ($position < $this->size) {
            [
                $offsets, $counts, $times, $payloads, $limit, $found,
            ] = [[], [], [], [], $position + self::RUN_BYTES, null];

            while (
                $position < $limit
                && ($found = $this->frameAt($position)) !== null
                && ($count = $found[1] & 0xFFFF) > 0
                && $found[1] >> 24 === Frame::TYPE_EVENTS
            ) {
                $offsets[] = $position;
                $counts[] = $count;
                [$position, , $times[], $payloads[]] = $found;
            }

            if ($payloads !== []) {
                $offsets[] = $position;

                $index = $from !== null && $offsets[0] === $from->offset ? $from->index : 0;

                yield new LogEntries($segment, $offsets, $counts, $times, $payloads, $index);
            }

            if ($position < $limit && $position < $this->size) {
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
     * Finds out what the file has at an offset where no valid frame begins.
     *
     * @param int<0, max> $position
     * @return Frame|CorruptRange|int<0, max> the offset to continue at, when there was only a seal
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
        $torn = $bytes > Frame::OVERHEAD_BYTES + Frame::MAX_PAYLOAD_BYTES
            ? null
            : new TornFrame($position, $at === null ? '' : substr($this->buffer, $at, $bytes));

        return $torn?->whole() ?? new CorruptRange($position, $next, $torn?->isTorn() ?? false);
    }

    /**
     * @param int<0, max> $position
     * @return ?Found
     */
    private function frameAt(int $position): ?array
    {
        $at = $position - $this->base;

        // hold() written inline: the call would be a tenth of the time for a small frame.
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
     * Detects a frame that was cut inside its checksum and looks valid because the bytes behind it complete the
     * checksum. These bytes are the magic of the next frame, which would then begin too late, or the zeros of a seal.
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
     * Detects a frame that has borrowed zeros from the seal behind it. Behind a whole frame there is a complete seal,
     * and then the end of the file or another frame. Behind a frame that was cut there is only the rest of the seal.
     *
     * @param int $own number of zeros at the end of the frame
     * @param int<0, max> $end
     */
    private function isBorrowedSeal(int $own, int $end): bool
    {
        $limit = min($this->size - $end, Frame::SEAL_BYTES + 2);
        $at = $this->hold($end, $limit);
        $zeros = $at === null ? 0 : strspn($this->buffer, "\0", $at, $limit);

        if (
            $at === null
            || $zeros === self::sealBytes($end)
            || ($zeros < $limit ? $this->buffer[$at + $zeros] !== Frame::MAGIC[0] : $end + $zeros < $this->size)
        ) {
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
     * Returns the end of a range without a valid frame, and leaves out the seal behind it. A seal is at the end of a
     * sealed file, or before frames that were appended after a sealer had been killed. A seal ends at an odd offset and
     * a writer's frame at an even one, so a frame whose last bytes were zeroed does not look like one that was cut.
     *
     * @param int<0, max> $position
     * @param int<0, max> $next
     * @return int<0, max>
     */
    private function withoutSeal(int $position, int $next): int
    {
        $limit = min($next - $position, Frame::SEAL_BYTES + 1);
        $at = $next % 2 === 1 ? $this->hold($next - $limit, $limit) : null;
        $zeros = $at === null ? 0 : strspn(strrev(substr($this->buffer, $at, $limit)), "\0");

        return $zeros >= Frame::SEAL_BYTES ? max(0, $next - $zeros) : $next;
    }

    /**
     * Whether a frame begins here. The magic and the frame's own offset decide. The length does not, because a damaged
     * length can be repaired.
     */
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
                // The magic may begin at the end of the loaded bytes and continue behind them.
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

    /**
     * @return ?int index of the position in the buffer, which has that many bytes from there; null when the file has
     *     fewer
     */
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

        // The code that received the last item may have moved the handle.
        fseek($this->handle, $position + strlen($this->buffer));

        while (($missing = min($bytes, $this->size - $position) - strlen($this->buffer)) > 0) {
            $reason = '';
            $chunk = FileOperation::run(fn () => fread($this->handle, $missing), $reason);

            // A disk that fails for a moment must not look like damage, because a flush skips damage.
            if ($chunk === false) {
                throw StorageUnavailable::notRead(stream_get_meta_data($this->handle)['uri'] ?? '', $position, $reason);
            }

            // The writer has cut off a partial frame in the meantime.
            if ($chunk === '') {
                return;
            }

            $this->buffer .= $chunk;
        }
    }
}
