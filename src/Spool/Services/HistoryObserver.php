<?php

declare(strict_types=1);

namespace Headroom\Spool\Services;

use Headroom\Spool\FileStore\Segment\DiskQuota;
use Headroom\Spool\FileStore\State\CountersFile;
use Headroom\Spool\History\HistoryMinute;
use Headroom\Spool\Monitoring\Inspector;

/**
 * Counts a bucket for its history. No database is asked, because it may hang. For a bucket on disk it loads fewer
 * classes than the status does, because a flush in a process of its own has to compile them.
 *
 * @internal
 */
final readonly class HistoryObserver
{
    public function __construct(private SpoolServices $spool, private Backends $backends) {}

    /** @return ?HistoryMinute null when the bucket cannot be counted completely */
    public function observe(string $bucket, int $minute): ?HistoryMinute
    {
        return $this->spool->stores()->isOnRedis($bucket)
            ? $this->redis($bucket, $minute)
            : $this->disk($bucket, $minute);
    }

    private function disk(string $bucket, int $minute): ?HistoryMinute
    {
        [$store, $clock] = [$this->spool->store(), $this->spool->clock()];
        $layout = $store->layout($bucket);
        $seen = (new Inspector($layout, $store->permissions, $clock))->inspect(static fn () => null);
        $counts = (new CountersFile($layout, $clock))->read();
        $elsewhere = ($counts->direct ?? 0) + ($counts->bypassed ?? 0);
        $dropped = $counts?->droppedInAll() ?? 0;

        return $seen->unreadable !== [] ? null : new HistoryMinute(
            $minute,
            $seen->events->accepted + $elsewhere + $dropped,
            $seen->events->delivered + $elsewhere,
            $seen->events->dead,
            $dropped,
            $seen->events->pending,
            self::milliseconds($seen->oldestSeconds($clock->micros())),
            usedBytes: (new DiskQuota($this->spool->config(), $bucket))->used(),
        );
    }

    private function redis(string $bucket, int $minute): ?HistoryMinute
    {
        $status = StatusReaders::withoutSql($this->spool, $this->backends)->of($bucket);

        return $status->error !== null ? null : new HistoryMinute(
            $minute,
            $status->events->accepted,
            $status->events->delivered,
            $status->events->dead,
            $status->events->dropped,
            $status->events->pending,
            self::milliseconds($status->oldestSeconds),
            usedBytes: $status->storage->usedBytes,
        );
    }

    private static function milliseconds(?float $seconds): ?int
    {
        return $seconds === null ? null : (int) round($seconds * 1_000);
    }
}
