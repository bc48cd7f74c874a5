<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\Segment;

use Headroom\Core\FaultPoint;
use Headroom\Spool\UnableToAppend;
use Headroom\Support\FileOperation;
use Headroom\Support\PhpRestrictions;

/**
 * A frame that was written in part, or not at all.
 *
 * @internal
 */
final readonly class PartialWrite
{
    public function __construct(private ?FaultPoint $checkpoint) {}

    /**
     * Cuts the part off while the lock is still held, so nobody has written behind it, and gives the slot back.
     *
     * @param resource $slot
     *
     * @throws UnableToAppend
     */
    public function refuse($slot, string $path, int $size, int $wanted): never
    {
        if ($this->checkpoint !== null) {
            $this->checkpoint->reached('slot.short-write');
        }

        $stat = fstat($slot);
        $written = max(0, ($stat['size'] ?? $size) - $size);

        $cut = PhpRestrictions::call('ftruncate', $slot, max(0, $size)) === true;
        $reason = $cut ? $this->whyNot($slot, $size, $wanted) : '';
        $cut = $cut && PhpRestrictions::call('ftruncate', $slot, max(0, $size)) === true;
        $stat = fstat($slot);
        $after = $stat['size'] ?? -1;

        // A forked child may have it open, too.
        flock($slot, LOCK_UN);
        fclose($slot);

        throw $cut && $after === $size
            ? UnableToAppend::wroteTooLittle($path, $written, $wanted, $reason)
            : UnableToAppend::notCutBack($path, $after, $size);
    }

    /**
     * The kernel's reason, by asking for the same number of bytes again, under the lock still. They begin a frame that
     * says it is longer than anything written here: if a kill leaves them, they look like what they are, never whole.
     *
     * @param resource $slot cut back to the size
     */
    private function whyNot($slot, int $size, int $wanted): string
    {
        $bytes = str_pad(Frame::EVENTS.pack('nNJJ', 1, Frame::MAX_PAYLOAD_BYTES, $size, 0), min($wanted, Frame::MAX_PAYLOAD_BYTES), ' ');
        $reason = FileOperation::reason(static fn () => fwrite($slot, $bytes));

        if ($this->checkpoint !== null) {
            $this->checkpoint->reached('slot.asked-why');
        }

        return $reason;
    }
}
