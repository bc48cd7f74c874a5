<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\Segment;

use Closure;
use Headroom\Core\Clock;
use Headroom\Core\FaultPoint;
use Headroom\Spool\AppendConfig;
use Headroom\Spool\FileStore\Fsync\PowerSync;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\Store\Writer;
use Headroom\Spool\UnableToAppend;
use Throwable;

use function clearstatcache;
use function dirname;
use function fclose;
use function filemtime;
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
 * Appends events to a bucket. This is the hot path: it runs in the requests of the application.
 *
 * An active segment is a file in active/ that at most one writer has locked. A writer takes the first free one, so that
 * the number of files follows the actual concurrency. Only the sealer renames an active segment, while it holds the
 * same lock, and before the rename it makes the size odd permanently. An append always ends at an even size. So a
 * writer that has the lock and sees an even size knows that the file is not sealed, and that readers see its frame.
 *
 * Code that only the first event of a segment needs is loaded when that event is written. In a request that buffers one
 * event, the classes loaded and the objects created cost more than the append itself.
 *
 * @internal
 */
final class SegmentWriter implements Writer
{
    private const MAX_SEGMENTS = 1024;

    /** A kept segment is closed after this time, so that the sealer can seal its events soon. */
    private const KEEP_MICROS = 1_000_000;

    private const LATE_MICROS = 300_000_000;

    /** A copy of Frame::EVENTS, so that an append need not load that class. */
    private const EVENTS = "\xF5HR\x01\x01\x00";

    private readonly string $prefix;

    private readonly string $firstPath;

    /** A segment of this size is left for the sealer. */
    private readonly int $maxBytes;

    /**
     * False if the process cannot fork, as under FPM. No child can inherit a kept segment then, so the writer does not
     * call getmypid(), which takes a tenth of the time of an append.
     */
    private readonly bool $mayFork;

    /** Null unless the bucket's durability is power. */
    private readonly ?PowerSync $power;

    private ?OpenSegment $kept = null;

    /** Of the process; null until a segment is kept, so that a request with one event does not load the class. */
    private static ?OpenSegments $allKept = null;

    /** Path of the kept segment that an append to another bucket has closed. */
    private ?string $closedPath = null;

    private bool $keepsOpen = false;

    /**
     * Whether the next append keeps its segment open. False for the first append of a scope, because most requests
     * buffer one event.
     */
    private bool $keepNext = false;

    /** @var ?Closure(): void */
    private ?Closure $whenOpened = null;

    /**
     * @param string $bucket a valid name
     * @param ?Clock $clock null means the system clock
     * @param ?Closure(string, string): void $late called when no flush has asked for the bucket for five minutes, with
     *     the bucket and the path of its oldest active segment
     */
    public function __construct(
        private readonly AppendConfig $settings,
        private readonly string $bucket,
        private readonly ?Clock $clock = null,
        private readonly ?FaultPoint $faultPoint = null,
        private readonly ?Closure $late = null,
    ) {
        $uid = function_exists('posix_geteuid') ? posix_geteuid() : Permissions::currentUser();
        $this->prefix = "{$settings->path}/buckets/{$bucket}/active/u{$uid}-";
        $this->firstPath = "{$this->prefix}0000.log";
        $quota = $settings->maxBytes($bucket);
        $this->maxBytes = $quota === null
            ? $settings->segmentBytes()
            : DiskQuota::maxSegmentBytes($settings->segmentBytes(), $quota);
        $this->mayFork = function_exists('pcntl_fork');
        $this->power = $settings->isPower($bucket) ? new PowerSync($settings->whole(), $bucket) : null;
    }

    public function append(string $payload, int $count): void
    {
        $now = $this->clock === null ? (int) (microtime(true) * 1_000_000) : $this->clock->micros();
        $kept = $this->kept;

        if ($kept !== null) {
            // Null during the write: a signal handler, an error handler or a shutdown function that interrupts it may
            // append as well. That append would use an outdated size, and readers would reject its frame.
            $this->kept = null;

            if ($now - $kept->since < self::KEEP_MICROS
                && $now >= $kept->since // a clock set back must not keep a segment for hours
                && $kept->size < $this->maxBytes
                && (! $this->mayFork || getmypid() === $kept->pid)
                // With durability `power`, an event in a file that was removed must not be acknowledged as on disk.
                && ($kept->reader === null || (fstat($kept->reader)['nlink'] ?? 0) > 0)
            ) {
                // Frame::events() written inline: the call would be a tenth of the time for an append.
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

                (new PartialWrite($this->faultPoint))->refuse($kept->file, $kept->path, $kept->size, strlen($frame));
            }

            $this->close($kept);
        }

        self::$allKept?->closeExpired($now, self::KEEP_MICROS);
        $this->appendToFreeSegment($payload, $count, $now, $kept->path ?? $this->closedPath);
        [$this->closedPath, $this->keepNext] = [null, $this->keepsOpen];

        try {
            // One stat(): each flush sets the modification time of this file.
            if ($this->late !== null && $now - 1_000_000
                * (int) @filemtime("{$this->settings->path}/buckets/{$this->bucket}/flush.lock") > self::LATE_MICROS) {
                ($this->late)($this->bucket, $this->firstPath);
            }
        } catch (Throwable) {
            // The event is written. After an exception it would be written again, by `overflow` or by the application.
        }
    }

    public function keepSegmentOpen(?Closure $whenOpened = null): void
    {
        // Without getmypid() a fork cannot be told from its parent, and would write to its parent's segment.
        $this->keepsOpen = ! $this->mayFork || function_exists('getmypid');
        $this->keepNext = false;
        $this->whenOpened = $whenOpened;
    }

    public function closeSegment(): void
    {
        $this->keepsOpen = false;
        $this->keepNext = false;
        $this->whenOpened = null;
        $this->closeKept();
        $this->closedPath = null;
    }

    /** Closes the kept segment. keepSegmentOpen() stays in force. */
    public function closeKept(): void
    {
        if ($this->kept !== null) {
            $kept = $this->kept;
            $this->kept = null;
            $this->closedPath = $kept->path;
            $this->close($kept);
        }
    }

    private function close(OpenSegment $kept): void
    {
        // The lock belongs to the open file, which a forked child shares. If the parent only closed the file, a child
        // that lives on would keep the sealer out. The child must not unlock the file, because its parent still writes
        // to it.
        if ($this->mayFork && getmypid() === $kept->pid) {
            flock($kept->file, LOCK_UN);
        }

        fclose($kept->file);
        self::$allKept?->remove($this);
    }

    /**
     * @param ?string $closedPath the segment that was just closed; it is skipped, so that the sealer finds it free
     *
     * @throws UnableToAppend
     */
    private function appendToFreeSegment(string $payload, int $count, int $now, ?string $closedPath): void
    {
        for ([$number, $attempt] = [0, 0]; $number < self::MAX_SEGMENTS
            && $attempt < 2 * self::MAX_SEGMENTS; $attempt++) {
            $path = $number === 0 ? $this->firstPath : $this->prefix.sprintf('%04d', $number).'.log';

            if ($path === $closedPath) {
                $number++;

                continue;
            }

            // 'e': a child process must not inherit the lock. 'n': a named pipe at that path must not block the open.
            $segment = @fopen($path, 'aen');

            if (
                $segment === false
                && ($segment = $this->isUnsealable($path) ? null : $this->creator()->create($path)) === null
            ) {
                $number++;

                continue;
            }

            $this->faultPoint?->reached('slot.opened');

            if (flock($segment, LOCK_EX | LOCK_NB)) {
                $size = @fseek($segment, 0, SEEK_END) === 0 ? (int) ftell($segment) : $this->maxBytes;

                // Odd: the file was sealed between open and lock, or a writer or a sealer died here. Empty: the file is
                // new, or its path is that of a link or a device. isInPlace() distinguishes these cases.
                if (
                    ($size === 0 || ($size & 1) === 1 || $this->power !== null)
                    && ! $this->isInPlace($segment, $path)
                ) {
                    fclose($segment);
                    // fopen() uses PHP's cache of real paths, in which a symbolic link that a deploy has switched still
                    // points to the old release.
                    clearstatcache(true);
                    $number += $this->isUnsealable($path) ? 1 : 0;

                    continue;
                }

                if ($size < $this->maxBytes) {
                    $this->write($segment, $path, $size, $payload, $count, $now);

                    return;
                }
            }

            fclose($segment);
            $number++;
        }

        throw UnableToAppend::noFreeSlot(dirname($this->firstPath), self::MAX_SEGMENTS);
    }

    /**
     * @param resource $segment locked
     *
     * @throws UnableToAppend
     */
    private function write($segment, string $path, int $size, string $payload, int $count, int $now): void
    {
        try {
            $this->faultPoint?->reached('slot.locked');

            if ($size === 0) {
                $bytes = $this->creator()->firstFrames($segment, $path, $payload, $count, $now);
            } else {
                if (((strlen($payload) + $size) & 1) === 1) {
                    $payload .= ' ';
                }

                $bytes = self::EVENTS.pack('nNJJ', $count, strlen($payload), $size, $now).$payload;
                $bytes .= hash('crc32c', $bytes, true);
            }

            $reader = $this->power?->begin($segment, $path, $size);

            if (@fwrite($segment, $bytes) !== strlen($bytes)) {
                (new PartialWrite($this->faultPoint))->refuse($segment, $path, $size, strlen($bytes));
            }

            if ($reader !== null) {
                $this->faultPoint?->reached('slot.written');
                $this->power->finish($reader, $segment, $path, $size);
            }

            if (! $this->keepNext) {
                fclose($segment);

                return;
            }

            $this->kept = new OpenSegment(
                $segment,
                $path,
                $size + strlen($bytes),
                $now,
                $this->mayFork ? (int) getmypid() : 0,
                $reader,
            );
            (self::$allKept ??= new OpenSegments)->add($this, $now);

            if ($this->whenOpened !== null) {
                ($this->whenOpened)();
            }
        } catch (Throwable $e) {
            $this->abandon($segment);

            throw $e;
        }
    }

    /**
     * Unlocks the file. The exception's trace refers to it, so code that keeps the exception would keep the lock.
     *
     * @param resource $segment
     */
    private function abandon($segment): void
    {
        $this->closeKept();

        if (is_resource($segment)) {
            flock($segment, LOCK_UN);
            fclose($segment);
        }
    }

    private function creator(): SegmentCreator
    {
        return new SegmentCreator($this->settings->whole(), $this->bucket, $this->power, $this->faultPoint);
    }

    /** @param resource $segment locked */
    private function isInPlace($segment, string $path): bool
    {
        $stat = fstat($segment);

        // PHP does not cache the status of a handle; it caches that of a path.
        clearstatcache();
        $status = @lstat($path);

        return $stat !== false
            && $stat['nlink'] === 1
            && $status !== false
            && ($status['mode'] & 0170000) === 0100000
            && $status['ino'] === $stat['ino']
            && $status['dev'] === $stat['dev'];
    }

    /** Whether no flusher seals this file. The writer takes the next one; the flush and spool:health report it. */
    private function isUnsealable(string $path): bool
    {
        clearstatcache();
        $status = @lstat($path);

        return $status !== false && (($status['mode'] & 0170000) !== 0100000 || $status['nlink'] > 1);
    }
}
