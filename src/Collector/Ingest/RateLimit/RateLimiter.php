<?php

declare(strict_types=1);

namespace Headroom\Collector\Ingest\RateLimit;

use Headroom\Collector\Ingest\Authentication\ApiKey;
use Headroom\Collector\Ingest\RequestError;
use Headroom\Core\Clock;
use Headroom\Support\FileOperation;
use Headroom\Support\RegularFile;

use function chmod;
use function dirname;
use function fclose;
use function intdiv;
use function is_dir;
use function max;
use function min;
use function stream_get_contents;

/**
 * Limits the events per second of each API key on this node. All workers and PHP-FPM processes share one count per key:
 * a file under a lock.
 *
 * The guarantee: in no second, wherever it begins, are more events accepted than the rate of the key, plus the leases
 * in use. A lease is a fiftieth of the rate that a process reserves in advance, so it takes the lock about fifty times
 * per second and not for each request. A lease counts from its reservation, expires after 100 ms, and each process has
 * at most one. Keys with a rate below 50 have no leases, so their limit is exact. Under overload at least 98 % of the
 * rate is accepted, minus expired leases. A request is accepted as a whole or not at all; one with more events than the
 * rate is always rejected.
 *
 * The kernel releases the lock of a killed process. A process that is stopped while it holds the lock delays others by
 * 10 ms each, then they respond with a retry time. A damaged file, and a clock that was set back,
 * count as a full second.
 *
 * @internal
 */
final class RateLimiter
{
    private const LEASES_PER_SECOND = 50;

    private const LEASE_MICROS = 100_000;

    private const MAX_TRIES = 50;

    private const PAUSE_MICROS = 200;

    /** @var array<string, array{int, int}> by key: remaining events, and time of the reservation */
    private array $leases = [];

    /** @var array<string, array{int, int, int}> by key: events that do not fit, until when, and how many would */
    private array $refusals = [];

    /**
     * @param int $directoryMode mode bits, like those of the buffer, because several users may run its processes
     * @param int $fileMode mode bits
     * @param bool $usesLeases whether this process lives long enough to use a lease
     */
    public function __construct(
        private readonly string $directory,
        private readonly Clock $clock,
        private readonly int $directoryMode = 0700,
        private readonly int $fileMode = 0600,
        private readonly bool $usesLeases = true,
    ) {}

    public static function below(string $root, Clock $clock): self
    {
        return new self("{$root}/collector/rates", $clock);
    }

    /**
     * @param int<1, max> $count
     * @param int $now microseconds since the Unix epoch
     *
     * @throws RequestError
     */
    public function acquire(ApiKey $key, int $count, int $now): void
    {
        if ($key->rate === null) {
            return;
        }

        [$left, $takenAt] = $this->leases[$key->id] ?? [0, 0];
        $left = $now >= $takenAt && $now - $takenAt < self::LEASE_MICROS ? $left : 0;

        if ($left >= $count) {
            $this->leases[$key->id] = [$left - $count, $takenAt];

            return;
        }

        if ($count > $key->rate) {
            throw RequestError::exceedsRate($count, $key->rate);
        }

        [$few, $until, $room] = $this->refusals[$key->id] ?? [0, 0, 0];

        // A rejection of a moment ago is repeated without the disk.
        if ($until > $now && $until - $now < 2_000_000 && $count - $left >= $few) {
            throw self::refusal($key->rate, $room, $until - $now);
        }

        $this->leases[$key->id] = [$this->fromFile($key, $key->rate, $count - $left, $now), $now];
    }

    /**
     * @param int<1, max> $rate
     * @param int $count events to reserve
     * @return int<0, max> events reserved in addition
     *
     * @throws RequestError
     */
    private function fromFile(ApiKey $key, int $rate, int $count, int $now): int
    {
        $file = $this->locked("{$this->directory}/{$key->id}.rate");

        try {
            $window = SlidingWindow::at((string) stream_get_contents($file, SlidingWindow::BYTES + 1, 0), $now, $rate);
            $room = max(0, $rate - $window->used());

            $reserved = $room < $count
                ? 0
                : min($room, $count + ($this->usesLeases ? intdiv($rate, self::LEASES_PER_SECOND) : 0));

            // Written even without a reservation, so that the second after damage can end.
            $this->write($file, $window->with($reserved)->pack());

            if ($reserved === 0) {
                $until = $window->freedAt($count - $room);
                $this->refusals[$key->id] = [$count, $until, $room];

                throw self::refusal($rate, $room, $until - $now);
            }

            return max(0, $reserved - $count);
        } finally {
            fclose($file);
        }
    }

    /**
     * @param resource $file
     *
     * @throws RequestError
     */
    private function write($file, string $bytes): void
    {
        $reason = '';

        if (
            fseek($file, 0) !== 0
            || FileOperation::run(static fn (): int|false => fwrite($file, $bytes), $reason) !== SlidingWindow::BYTES
            || ! fflush($file)
            || ! ftruncate($file, SlidingWindow::BYTES)
        ) {
            throw RequestError::rateUnavailable("its count is not writable ({$reason})", 5);
        }
    }

    /**
     * @return resource
     *
     * @throws RequestError
     */
    private function locked(string $path)
    {
        $directory = dirname($path);
        $reason = '';
        $isThere = is_dir($directory)
            || FileOperation::run(
                fn (): bool => mkdir($directory, $this->directoryMode, true) && chmod($directory, $this->directoryMode),
                $reason,
            )
            || is_dir($directory);
        $file = $isThere ? RegularFile::open($path, 'c+e', $reason, $this->fileMode) : false;

        if ($file === false) {
            throw RequestError::rateUnavailable("its count cannot be opened ({$reason})", 5);
        }

        for ($try = 0; ! flock($file, LOCK_EX | LOCK_NB); $try++) {
            if ($try === self::MAX_TRIES) {
                fclose($file);

                throw RequestError::rateUnavailable('another process holds its count', 1);
            }

            $this->clock->sleep(self::PAUSE_MICROS);
        }

        return $file;
    }

    /** @param int<1, max> $rate */
    private static function refusal(int $rate, int $room, int $micros): RequestError
    {
        return RequestError::rate($rate, $room, max(1, intdiv($micros + 999_999, 1_000_000)));
    }
}
