<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\Segment;

use Headroom\Core\FaultPoint;
use Headroom\Spool\UnableToAppend;
use Headroom\Support\FileOperation;
use Headroom\Support\PhpRestrictions;

/**
 * Undoes the write of a frame that was written in part or not at all, and throws the reason.
 *
 * @internal
 */
final readonly class PartialWrite
{
    public function __construct(private ?FaultPoint $faultPoint) {}

    /**
     * Cuts the partial frame off and closes the segment. The lock is still held, so no other writer has appended to it.
     *
     * @param resource $segment
     *
     * @throws UnableToAppend
     */
    public function refuse($segment, string $path, int $size, int $wanted): never
    {
        if ($this->faultPoint !== null) {
            $this->faultPoint->reached('slot.short-write');
        }

        $stat = fstat($segment);
        $written = max(0, ($stat['size'] ?? $size) - $size);

        $cut = PhpRestrictions::call('ftruncate', $segment, max(0, $size)) === true;
        $reason = $cut ? $this->kernelsReason($segment, $size, $wanted) : '';
        $cut = $cut && PhpRestrictions::call('ftruncate', $segment, max(0, $size)) === true;
        $stat = fstat($segment);
        $after = $stat['size'] ?? -1;

        // A forked child may have the file open as well, and closing it here would not release the lock.
        flock($segment, LOCK_UN);
        fclose($segment);

        throw $cut && $after === $size
            ? UnableToAppend::wroteTooLittle($path, $written, $wanted, $reason)
            : UnableToAppend::notTruncated($path, $after, $size);
    }

    /**
     * Finds the kernel's reason by writing the same number of bytes again, still under the lock. The bytes begin a
     * frame whose length field exceeds what is written here: if a kill leaves them in the file, a reader sees a torn
     * frame.
     *
     * @param resource $segment already cut back to the size
     */
    private function kernelsReason($segment, int $size, int $wanted): string
    {
        $bytes = str_pad(
            Frame::EVENTS.pack('nNJJ', 1, Frame::MAX_PAYLOAD_BYTES, $size, 0),
            min($wanted, Frame::MAX_PAYLOAD_BYTES),
            ' ',
        );
        $reason = FileOperation::reason(static fn () => fwrite($segment, $bytes));

        if ($this->faultPoint !== null) {
            $this->faultPoint->reached('slot.asked-why');
        }

        return $reason;
    }
}
