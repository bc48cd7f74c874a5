<?php

declare(strict_types=1);

namespace Headroom\Spool\Append;

use Closure;
use Headroom\Core\Clock;
use Headroom\Core\HeadroomException;
use Headroom\Spool\Cron;
use Headroom\Spool\FileStore\FileStore;
use Headroom\Spool\FileStore\Layout;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\FileStore\Segment\Frame;
use Headroom\Spool\SpoolConfig;
use Headroom\Support\PhpRestrictions;
use Headroom\Support\RegularFile;

/**
 * Whether no process delivers a bucket on this disk: its events wait, and no flush has claimed it for five minutes. A
 * flush that fails has claimed it, and reports its own failure.
 *
 * @internal
 */
final readonly class DeliveryDelay
{
    /** Events wait at most a minute when a scheduler or a worker runs. */
    private const LATE_SECONDS = 300;

    /** After maintenance mode, a pause or a suspended machine, the next flush comes within a minute. */
    public const GRACE_SECONDS = 90;

    /** A site with autoflush may have no requests for a day. */
    private const QUIET_SECONDS = 86_400;

    /** @param Closure(): bool $isInMaintenance */
    public function __construct(
        private SpoolConfig $config,
        private Clock $clock,
        private Closure $isInMaintenance,
    ) {}

    /** @return ?int when the first event was accepted, in seconds since the Unix epoch; null when it is unknown */
    public static function acceptedAt(string $segment): ?int
    {
        $header = (string) RegularFile::read($segment, Frame::HEADER_BYTES);

        if (strlen($header) < Frame::HEADER_BYTES || ! str_starts_with($header, Frame::MAGIC)) {
            return null;
        }

        /** @var array{micros: int} $time */
        $time = unpack('Jmicros', $header, Frame::HEADER_BYTES - 8);

        return intdiv($time['micros'], 1_000_000);
    }

    /**
     * @param int $oldest when the oldest event was accepted
     * @return ?int seconds since the last flush; null when it or the oldest event is less than five minutes old
     */
    public function seconds(string $bucket, int $oldest): ?int
    {
        $now = $this->now();
        // A long-running process may have seen an old time in PHP's cache.
        clearstatcache();
        $flushedAt = @filemtime((new Layout($this->config->path, $bucket))->flushLock);
        $seconds = $now - ($flushedAt === false ? $oldest : $flushedAt);

        return min($seconds, $now - $oldest) > self::LATE_SECONDS ? $seconds : null;
    }

    /**
     * Whether the events wait on purpose: the bucket is not declared, is paused or is being flushed, its own schedule
     * has not come, autoflush waits for requests, or the application is in maintenance mode. An earlier finding ends
     * then: see isLasting().
     *
     * @throws HeadroomException the configuration is invalid, or a pause cannot be read
     */
    public function isExpected(string $bucket, int $oldest): bool
    {
        $now = $this->now();
        $declared = $this->config->bucket($bucket);
        $store = new FileStore($this->config->path, Permissions::of($this->config), $this->clock);
        $schedule = $declared?->schedule;

        $isExpected = $declared === null
            || ($schedule instanceof Cron && $oldest >= $schedule->lastAt($now - self::LATE_SECONDS))
            || ($this->config->autoflush() !== null && $now - $oldest <= self::QUIET_SECONDS)
            || ($this->isInMaintenance)()
            || $store->isPaused($bucket)
            || $store->flushing($bucket) !== null;

        if ($isExpected) {
            PhpRestrictions::call('unlink', (new Layout($this->config->path, $bucket))->lateFile);
        }

        return $isExpected;
    }

    /**
     * Whether this was found before, and no flush has run since. A file keeps the time of the first finding; where it
     * cannot be created, the first finding counts.
     */
    public function isLasting(string $bucket): bool
    {
        $layout = new Layout($this->config->path, $bucket);
        clearstatcache();
        $foundAt = (int) @filemtime($layout->lateFile);
        $now = $this->now();

        if ($foundAt > (int) @filemtime($layout->flushLock) && $foundAt <= $now) {
            return $now - $foundAt >= self::GRACE_SECONDS;
        }

        $file = Permissions::of($this->config)->open($layout->lateFile, 'ce');

        // The size stays, because the name may be a hard link to a file with data.
        if ($file === false || PhpRestrictions::call('ftruncate', $file, fstat($file)['size'] ?? 0) !== true) {
            return true;
        }

        fclose($file);

        return false;
    }

    public static function message(string $bucket, int $seconds): string
    {
        return "Nothing has delivered bucket '{$bucket}' for ".intdiv($seconds, 60).' minutes. Run `schedule:work` on'
            .' your own machine, or let cron run `schedule:run` every minute on each server;'
            .' see docs/errors.md#nothing-delivers.';
    }

    private function now(): int
    {
        return intdiv($this->clock->micros(), 1_000_000);
    }
}
