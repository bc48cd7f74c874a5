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
use Headroom\Spool\FileStore\State\Throttle;
use Headroom\Spool\SpoolConfig;
use Headroom\Support\PhpRestrictions;
use Headroom\Support\RegularFile;
use Throwable;

/**
 * Warns in the application's log that nothing delivers a bucket. A request appends and does not deliver, so without a
 * scheduler or a worker no other process would ever report it.
 *
 * @internal
 */
final class UndeliveredWarning
{
    /** Events wait at most a minute when a scheduler or a worker runs. */
    public const LATE_SECONDS = 300;

    /** A site with autoflush may have no requests for a day. */
    private const QUIET_SECONDS = 86_400;

    private const INTERVAL_SECONDS = 600;

    /** True during a call of the log, which may append to the buffer. */
    private bool $isReporting = false;

    /** @param Closure(): bool $isInMaintenance */
    public function __construct(
        private readonly SpoolConfig $config,
        private readonly Clock $clock,
        private readonly Notifier $notifier,
        private readonly Closure $isInMaintenance,
    ) {}

    /**
     * @param string $segment path of the oldest active segment
     *
     * @throws HeadroomException the configuration is invalid, or a pause cannot be read
     */
    public function check(string $bucket, string $segment): void
    {
        $layout = new Layout($this->config->path, $bucket);
        $throttle = new Throttle($layout->warnedFile, Permissions::of($this->config), $this->clock);

        if ($this->isReporting || ! $throttle->isDue(self::INTERVAL_SECONDS)) {
            return;
        }

        $now = intdiv($this->clock->micros(), 1_000_000);
        // A long-running process may have seen an old time in PHP's cache.
        clearstatcache();
        $oldest = self::acceptedAt($segment);
        $flushedAt = @filemtime($layout->flushLock);
        $seconds = $now - max((int) $flushedAt, $flushedAt === false ? (int) $oldest : 0);

        if ($oldest === null || min($seconds, $now - $oldest) <= self::LATE_SECONDS) {
            return;
        }

        // The turn is taken also when the events wait on purpose, so that the next appends need not find out again.
        if ($throttle->claimTurn(self::INTERVAL_SECONDS) !== null && ! $this->isExpected($bucket, $oldest, $now)) {
            $this->warn($bucket, intdiv($seconds, 60));
        }
    }

    /** @return ?int when its first event was accepted, in seconds since the Unix epoch; null when it is unknown */
    private static function acceptedAt(string $segment): ?int
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
     * Whether the events wait on purpose: the bucket is not declared, is paused or is being flushed, its own schedule
     * has not come, autoflush waits for requests, or the application is in maintenance mode.
     *
     * @throws HeadroomException
     */
    private function isExpected(string $bucket, int $oldest, int $now): bool
    {
        $declared = $this->config->bucket($bucket);
        $store = new FileStore($this->config->path, Permissions::of($this->config), $this->clock);
        $schedule = $declared?->schedule;

        return $declared === null
            || ($schedule instanceof Cron && $oldest >= $schedule->lastAt($now - self::LATE_SECONDS))
            || ($this->config->autoflush() !== null && $now - $oldest <= self::QUIET_SECONDS)
            || ($this->isInMaintenance)()
            || $store->isPaused($bucket)
            || $store->flushing($bucket) !== null;
    }

    private function warn(string $bucket, int $minutes): void
    {
        $message = "spool: Nothing has delivered bucket '{$bucket}' for {$minutes} minutes. Run `schedule:work` on your"
            .' own machine, or let cron run `schedule:run` every minute on each server;'
            .' see docs/errors.md#nothing-delivers.';
        $this->isReporting = true;

        try {
            $this->notifier->logger()->warning($message);
        } catch (Throwable $e) {
            PhpRestrictions::call('error_log', "{$message} (The application's log failed: {$e->getMessage()})");
        } finally {
            $this->isReporting = false;
        }
    }
}
