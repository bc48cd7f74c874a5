<?php

declare(strict_types=1);

namespace Headroom\Spool\File;

use Headroom\Core\Attempt;
use Headroom\Core\Checkpoint;
use Headroom\Core\Clock;
use Headroom\Spool\UnableToAppend;

use function clearstatcache;
use function fclose;
use function fileinode;
use function flock;
use function fopen;
use function fstat;
use function fwrite;
use function getmypid;
use function hash;
use function pack;
use function sprintf;
use function strlen;

use const LOCK_EX;
use const LOCK_NB;
use const LOCK_UN;

/**
 * The writing end of a bucket, and the hot path of everything.
 *
 * A slot is a file that at most one writer has locked. A writer takes the first free one, so that their number follows
 * the true concurrency. Only the sealer renames a slot, and only while it holds the same lock; therefore a writer that
 * has the lock and has seen that the path still leads to its inode writes where every later reader will look.
 *
 * @internal
 */
final class Slots
{
    private const MAX_SLOTS = 1024;

    /** A kept slot is given back after this long, so that what it holds is sealed in time. */
    private const KEEP_MICROS = 1_000_000;

    private readonly string $prefix;

    private readonly string $firstPath;

    /** Where the process can not fork, as under FPM, nobody can inherit a kept slot, and asking for the pid is a tenth of an append. */
    private readonly bool $mayFork;

    private ?KeptSlot $kept = null;

    /**
     * @param string $header payload of the header frame that begins each slot
     * @param int $maxBytes a slot of this size is left for the sealer
     */
    public function __construct(
        private readonly Layout $layout,
        private readonly Permissions $permissions,
        private readonly Clock $clock,
        private readonly string $header,
        private readonly int $maxBytes,
        private readonly ?Checkpoint $checkpoint = null,
    ) {
        $this->prefix = $layout->active.'/u'.Permissions::currentUser().'-';
        $this->firstPath = $this->prefix.'0000.log';
        $this->mayFork = function_exists('pcntl_fork');
    }

    /**
     * @param string $payload one line of JSON per event
     * @param int<1, 65535> $count events in it
     * @param bool $keep leave the slot open and locked for the next call
     *
     * @throws UnableToAppend
     */
    public function append(string $payload, int $count, bool $keep): void
    {
        $now = $this->clock->micros();

        if ($this->kept !== null) {
            // Taken for the time of the write. Whoever interrupts it may buffer, too: a signal's handler, an error handler
            // that throws, a shutdown function after a time limit. A size that is not the file's any more would put
            // that event's frame where no reader accepts it.
            $kept = $this->kept;
            $this->kept = null;

            if ($now - $kept->since < self::KEEP_MICROS
                && $now >= $kept->since // a clock set back must not keep a slot for hours
                && $kept->size < $this->maxBytes
                && (! $this->mayFork || getmypid() === $kept->by)
            ) {
                // Frame::events(), spelled out: a call is a tenth of an append here.
                $frame = Frame::EVENTS.pack('nNJJ', $count, strlen($payload), $kept->size, $now).$payload;
                $frame .= hash('crc32c', $frame, true);

                if (@fwrite($kept->file, $frame) === strlen($frame)) {
                    $kept->size += strlen($frame);
                    $this->kept = $kept;

                    return;
                }

                $this->refuse($kept->file, $kept->path, $kept->size, strlen($frame));
            }

            $this->close($kept);
        }

        $this->appendToFreeSlot($payload, $count, $now, $keep);
    }

    /** Gives a kept slot back. */
    public function release(): void
    {
        if ($this->kept !== null) {
            $kept = $this->kept;
            $this->kept = null;
            $this->close($kept);
        }
    }

    private function close(KeptSlot $kept): void
    {
        // The lock belongs to the open file, which a forked child shares: a child that lives on would keep it from
        // the sealer after its parent's close, and must itself not unlock what its parent still writes to.
        if ($this->mayFork && getmypid() === $kept->by) {
            flock($kept->file, LOCK_UN);
        }

        fclose($kept->file);
    }

    /** @throws UnableToAppend */
    private function appendToFreeSlot(string $payload, int $count, int $now, bool $keep): void
    {
        $path = $this->firstPath;
        $number = 0;

        for ($attempt = 0; $number < self::MAX_SLOTS && $attempt < 2 * self::MAX_SLOTS; $attempt++) {
            // 'e': a child process must not inherit the lock.
            $slot = @fopen($path, 'ae');

            if ($slot === false) {
                $slot = $this->create($path);
            }

            $this->checkpoint?->reached('slot.opened');

            if (flock($slot, LOCK_EX | LOCK_NB)) {
                $stat = fstat($slot);

                // The sealer may have renamed the file between open and lock. Its inode is uncached, the path's is not.
                clearstatcache();

                if ($stat === false || @fileinode($path) !== $stat['ino']) {
                    fclose($slot);

                    continue;
                }

                if ($stat['size'] < $this->maxBytes) {
                    $this->checkpoint?->reached('slot.locked');
                    $bytes = Frame::EVENTS.pack('nNJJ', $count, strlen($payload), $stat['size'], $now).$payload;
                    $bytes = $stat['size'] > 0 ? $bytes.hash('crc32c', $bytes, true) : $this->firstFrames($slot, $path, $payload, $count, $now);

                    if (@fwrite($slot, $bytes) !== strlen($bytes)) {
                        $this->refuse($slot, $path, $stat['size'], strlen($bytes));
                    }

                    $keep ? $this->kept = new KeptSlot($slot, $path, $stat['size'] + strlen($bytes), $now, (int) getmypid()) : fclose($slot);

                    return;
                }
            }

            fclose($slot);
            $path = $this->prefix.sprintf('%04d', ++$number).'.log';
        }

        throw UnableToAppend::noFreeSlot($this->layout->active, self::MAX_SLOTS);
    }

    /**
     * In one write with the header frame, so that a torn header never holds anything acknowledged.
     *
     * @param resource $slot new
     */
    private function firstFrames($slot, string $path, string $payload, int $count, int $now): string
    {
        $stat = fstat($slot);

        // The mode came from the umask.
        if ($stat !== false && ($stat['mode'] & 0777) !== $this->permissions->file) {
            @chmod($path, $this->permissions->file);
        }

        $header = Frame::header($this->header, $now);

        return $header.Frame::events($payload, $count, strlen($header), $now);
    }

    /**
     * @return resource
     *
     * @throws UnableToAppend
     */
    private function create(string $path)
    {
        clearstatcache();

        if (! is_dir($this->layout->directory)) {
            $this->refuseAnotherNode();
        }

        foreach ($this->layout->directories() as $directory) {
            $this->permissions->makeDirectory($directory);
        }

        (new StateFile($this->layout->stateFile, $this->permissions))->preallocate();
        $reason = '';
        $slot = Attempt::run(static fn () => fopen($path, 'ae'), $reason);

        return $slot !== false ? $slot : throw UnableToAppend::notOpened($path, $reason, Permissions::ownership($path));
    }

    /**
     * A process that lives long knows an id that may have left with the root, when somebody moved or emptied that: what
     * lies under an id that is not in the file 'node' is never flushed.
     *
     * @throws UnableToAppend
     */
    private function refuseAnotherNode(): void
    {
        $directory = dirname($this->layout->directory);
        $node = NodeId::of(dirname($directory), $this->permissions, $this->checkpoint);

        if ($node !== basename($directory)) {
            throw UnableToAppend::nodeChanged($directory, $node);
        }
    }

    /**
     * Cuts the part off while the lock is still held, so nobody has written behind it, and gives the slot back.
     *
     * @param resource $slot
     *
     * @throws UnableToAppend
     */
    private function refuse($slot, string $path, int $size, int $wanted): never
    {
        if ($this->checkpoint !== null) {
            $this->checkpoint->reached('slot.short-write');
        }

        $stat = fstat($slot);
        $written = max(0, ($stat['size'] ?? $size) - $size);

        // Under the lock still, and cut off with the rest if it is written now. Less than the frame lacks: what a kill
        // leaves here is to look like what it is, a frame that was never whole.
        $reason = Attempt::reason(static fn () => fwrite($slot, str_repeat('x', max(1, $wanted - $written - 1))));
        $cut = @ftruncate($slot, max(0, $size));
        $stat = fstat($slot);
        $after = $stat['size'] ?? -1;

        fclose($slot);

        throw $cut && $after === $size
            ? UnableToAppend::wroteTooLittle($path, $written, $wanted, $reason)
            : UnableToAppend::notCutBack($path, $after, $size);
    }
}
