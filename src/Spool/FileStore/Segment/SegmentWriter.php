<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\Segment;

use Closure;
use Headroom\Core\Clock;
use Headroom\Core\FaultPoint;
use Headroom\Spool\Append\AppendConfig;
use Headroom\Spool\FileStore\Fsync\PowerSync;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\Store\Writer;
use Headroom\Spool\UnableToAppend;
use Throwable;

use function clearstatcache;
use function dirname;
use function fclose;
use function flock;
use function fopen;
use function fseek;
use function fstat;
use function ftell;
use function function_exists;
use function fwrite;
use function getmypid;
use function hash;
use function is_resource;
use function lstat;
use function microtime;
use function pack;
use function posix_geteuid;
use function sprintf;
use function strlen;

use const LOCK_EX;
use const LOCK_NB;
use const LOCK_UN;
use const SEEK_END;

/**
 * The writing end of a bucket, and the hot path of everything.
 *
 * A slot is a file that at most one writer has locked. A writer takes the first free one, so that their number follows
 * the true concurrency. Only the sealer renames a slot, while it holds the same lock, and before it does it makes the
 * size odd for good. What writers append ends at an even size; therefore a writer that has the lock and sees an even
 * size writes where every later reader will look.
 *
 * What only the first event of a slot needs is made then: in a request that buffers one event, which class is loaded
 * and which object made matters more than the append itself.
 *
 * @internal
 */
final class SegmentWriter implements Writer
{
    private const MAX_SLOTS = 1024;

    /** A kept slot is given back after this long, so that what it holds is sealed in time. */
    private const KEEP_MICROS = 1_000_000;

    /** Frame::EVENTS, which would be one more class to load. */
    private const EVENTS = "\xF5HR\x01\x01\x00";

    private readonly string $prefix;

    private readonly string $firstPath;

    /** A slot of this size is left for the sealer. */
    private readonly int $maxBytes;

    /** Where the process can not fork, as under FPM, nobody can inherit a kept slot, and asking for the pid is a tenth of an append. */
    private readonly bool $mayFork;

    /** Null unless the bucket's durability is power. */
    private readonly ?PowerSync $power;

    private ?OpenSegment $kept = null;

    /** Of the whole process; null until something is kept, so that a request with one event does not load it. */
    private static ?OpenSegments $allKept = null;

    /** Path of the slot that another bucket's append gave back. */
    private ?string $left = null;

    private bool $keeping = false;

    /** The first append of a scope closes its slot: most requests buffer one event. */
    private bool $keepNext = false;

    /** @var ?Closure(): void */
    private ?Closure $whenKept = null;

    /**
     * @param string $bucket a valid name
     * @param ?Clock $clock null is the system's
     */
    public function __construct(
        private readonly AppendConfig $settings,
        private readonly string $bucket,
        private readonly ?Clock $clock = null,
        private readonly ?FaultPoint $checkpoint = null,
    ) {
        $uid = function_exists('posix_geteuid') ? posix_geteuid() : Permissions::currentUser();
        $this->prefix = "{$settings->path}/buckets/{$bucket}/active/u{$uid}-";
        $this->firstPath = "{$this->prefix}0000.log";
        $quota = $settings->maxBytes($bucket);
        $this->maxBytes = $quota === null ? $settings->segmentBytes() : DiskQuota::slotBytes($settings->segmentBytes(), $quota);
        $this->mayFork = function_exists('pcntl_fork');
        $this->power = $settings->isPower($bucket) ? new PowerSync($settings->whole(), $bucket) : null;
    }

    public function append(string $payload, int $count): void
    {
        $now = $this->clock === null ? (int) (microtime(true) * 1_000_000) : $this->clock->micros();

        $kept = $this->kept;

        if ($kept !== null) {
            // Taken for the time of the write. Whoever interrupts it may buffer, too: a signal's handler, an error handler
            // that throws, a shutdown function after a time limit. A size that is not the file's any more would put
            // that event's frame where no reader accepts it.
            $this->kept = null;

            if ($now - $kept->since < self::KEEP_MICROS
                && $now >= $kept->since // a clock set back must not keep a slot for hours
                && $kept->size < $this->maxBytes
                && (! $this->mayFork || getmypid() === $kept->by)
                // Who is told that an event is on disk is not told so of a file that somebody has removed.
                && ($kept->reader === null || (fstat($kept->reader)['nlink'] ?? 0) > 0)
            ) {
                // Frame::events(), spelled out: a call is a tenth of an append here.
                if (((strlen($payload) + $kept->size) & 1) === 1) {
                    $payload .= ' ';
                }

                $frame = self::EVENTS.pack('nNJJ', $count, strlen($payload), $kept->size, $now).$payload;
                $frame .= hash('crc32c', $frame, true);

                if (@fwrite($kept->file, $frame) === strlen($frame)) {
                    if ($kept->reader !== null) {
                        $this->power?->finish($kept->reader, $kept->file, $kept->path, $kept->size);
                    }

                    $kept->size += strlen($frame);
                    $this->kept = $kept;

                    return;
                }

                (new PartialWrite($this->checkpoint))->refuse($kept->file, $kept->path, $kept->size, strlen($frame));
            }

            $this->close($kept);
        }

        self::$allKept?->giveBackOld($now, self::KEEP_MICROS);
        $this->appendToFreeSlot($payload, $count, $now, $kept->path ?? $this->left);
        $this->left = null;
        $this->keepNext = $this->keeping;
    }

    public function keep(?Closure $whenKept = null): void
    {
        // A fork that cannot be told from its parent would write to the parent's slot.
        $this->keeping = ! $this->mayFork || function_exists('getmypid');
        $this->keepNext = false;
        $this->whenKept = $whenKept;
    }

    public function release(): void
    {
        $this->keeping = false;
        $this->keepNext = false;
        $this->whenKept = null;
        $this->giveBack();
        $this->left = null;
    }

    /** What is kept, while the scope goes on. */
    public function giveBack(): void
    {
        if ($this->kept !== null) {
            $kept = $this->kept;
            $this->kept = null;
            $this->left = $kept->path;
            $this->close($kept);
        }
    }

    private function close(OpenSegment $kept): void
    {
        // The lock belongs to the open file, which a forked child shares: a child that lives on would keep it from
        // the sealer after its parent's close, and must itself not unlock what its parent still writes to.
        if ($this->mayFork && getmypid() === $kept->by) {
            flock($kept->file, LOCK_UN);
        }

        fclose($kept->file);
        self::$allKept?->remove($this);
    }

    /**
     * @param ?string $left the slot that was just given back: the sealer is to find it free
     *
     * @throws UnableToAppend
     */
    private function appendToFreeSlot(string $payload, int $count, int $now, ?string $left): void
    {
        for ([$number, $attempt] = [0, 0]; $number < self::MAX_SLOTS && $attempt < 2 * self::MAX_SLOTS; $attempt++) {
            $path = $number === 0 ? $this->firstPath : $this->prefix.sprintf('%04d', $number).'.log';

            if ($path === $left) {
                $number++;

                continue;
            }

            // 'e': a child process must not inherit the lock.
            // 'n': somebody's pipe of that name must not block.
            $slot = @fopen($path, 'aen');

            if ($slot === false && ($slot = $this->isStrange($path) ? null : $this->newSlot()->create($path)) === null) {
                $number++;

                continue;
            }

            $this->checkpoint?->reached('slot.opened');

            if (flock($slot, LOCK_EX | LOCK_NB)) {
                $size = @fseek($slot, 0, SEEK_END) === 0 ? (int) ftell($slot) : $this->maxBytes;

                // Odd: sealed between open and lock, or a writer or sealer died here. The path tells which. Empty: new,
                // or what a link or a device of that name makes of it.
                if (($size === 0 || ($size & 1) === 1 || $this->power !== null) && ! $this->isInPlace($slot, $path)) {
                    fclose($slot);
                    // fopen() goes by PHP's cache of real paths, through a symbolic link that a deploy has switched since.
                    clearstatcache(true);
                    $number += $this->isStrange($path) ? 1 : 0;

                    continue;
                }

                if ($size < $this->maxBytes) {
                    $this->write($slot, $path, $size, $payload, $count, $now);

                    return;
                }
            }

            fclose($slot);
            $number++;
        }

        throw UnableToAppend::noFreeSlot(dirname($this->firstPath), self::MAX_SLOTS);
    }

    /**
     * @param resource $slot locked
     *
     * @throws UnableToAppend
     */
    private function write($slot, string $path, int $size, string $payload, int $count, int $now): void
    {
        try {
            $this->checkpoint?->reached('slot.locked');

            if ($size === 0) {
                $bytes = $this->newSlot()->firstFrames($slot, $path, $payload, $count, $now);
            } else {
                if (((strlen($payload) + $size) & 1) === 1) {
                    $payload .= ' ';
                }

                $bytes = self::EVENTS.pack('nNJJ', $count, strlen($payload), $size, $now).$payload;
                $bytes .= hash('crc32c', $bytes, true);
            }

            $reader = $this->power?->begin($slot, $path, $size);

            if (@fwrite($slot, $bytes) !== strlen($bytes)) {
                (new PartialWrite($this->checkpoint))->refuse($slot, $path, $size, strlen($bytes));
            }

            if ($reader !== null) {
                $this->checkpoint?->reached('slot.written');
                $this->power->finish($reader, $slot, $path, $size);
            }

            if (! $this->keepNext) {
                fclose($slot);

                return;
            }

            $this->kept = new OpenSegment($slot, $path, $size + strlen($bytes), $now, $this->mayFork ? (int) getmypid() : 0, $reader);
            (self::$allKept ??= new OpenSegments)->add($this, $now);

            if ($this->whenKept !== null) {
                ($this->whenKept)();
            }
        } catch (Throwable $e) {
            $this->abandon($slot);

            throw $e;
        }
    }

    /** @param resource $slot which the exception's trace holds, so that whoever keeps the exception would keep the lock */
    private function abandon($slot): void
    {
        $this->giveBack();

        if (is_resource($slot)) {
            flock($slot, LOCK_UN);
            fclose($slot);
        }
    }

    private function newSlot(): SegmentCreator
    {
        return new SegmentCreator($this->settings->whole(), $this->bucket, $this->power, $this->checkpoint);
    }

    /** @param resource $slot locked */
    private function isInPlace($slot, string $path): bool
    {
        $stat = fstat($slot);

        // Its inode is uncached, the path's is not.
        clearstatcache();
        $there = @lstat($path);

        return $stat !== false && $stat['nlink'] === 1 && $there !== false && ($there['mode'] & 0170000) === 0100000 && $there['ino'] === $stat['ino'] && $there['dev'] === $stat['dev'];
    }

    /** What no flusher would seal. The next slot does as well, and the flush and spool:health name this one. */
    private function isStrange(string $path): bool
    {
        clearstatcache();
        $there = @lstat($path);

        return $there !== false && (($there['mode'] & 0170000) !== 0100000 || $there['nlink'] > 1);
    }
}
