<?php

declare(strict_types=1);

namespace Headroom\Laravel\Http\Dashboard\Data;

use Headroom\Core\HeadroomException;
use Headroom\Laravel\Schedule\FlushSchedule;
use Headroom\Laravel\Schedule\LastFlush;
use Headroom\Laravel\Text\Sentences;
use Headroom\Spool\Alerts\Alert;
use Headroom\Spool\Alerts\AlertRules;
use Headroom\Spool\BucketStatus;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\FileStore\State\WorkerFiles;
use Headroom\Spool\Services\SpoolServices;
use Headroom\Spool\SpoolStatus;
use Headroom\Support\HostName;
use Headroom\Support\PhpRestrictions;

/**
 * The numbers of this machine at this moment. No database is asked.
 *
 * @internal
 */
final readonly class NowDocument
{
    /** Below the storage directory. */
    public const CACHE = 'framework/headroom-now.json';

    private BucketSummary $summary;

    public function __construct(private SpoolServices $spool)
    {
        $this->summary = new BucketSummary($spool);
    }

    /** @return array<string, mixed> */
    public function toArray(): array
    {
        $status = $this->spool->statusWithoutSql();

        return [
            'computed_at' => $this->spool->clock()->micros() / 1_000_000,
            'node' => ['id' => $status->node, 'host' => HostName::own(), 'path' => $status->path],
            'enabled' => $status->enabled,
            'maintenance' => $this->spool->isInMaintenance(),
            'totals' => self::totals($status),
            'buckets' => array_map($this->summary->toArray(...), $status->buckets),
            'alerts' => array_map(
                self::alert(...),
                (new AlertRules($this->spool))->ofMachine($status),
            ),
            'flush' => $this->flush($status),
            'workers' => $this->workers($status),
            'disk' => $this->disk($status->path),
        ];
    }

    /** @return array<string, mixed> */
    public static function alert(Alert $alert): array
    {
        return [
            ...$alert->toArray(),
            'message' => Sentences::shown($alert->message),
            'fix' => Sentences::withCommands($alert->fix),
        ];
    }

    /** @return array<string, int|float|null> */
    private static function totals(SpoolStatus $status): array
    {
        $sum = static fn (callable $of): int => array_sum(array_map($of, $status->buckets));

        return [
            'accepted' => $sum(static fn (BucketStatus $bucket): int => $bucket->events->accepted),
            'delivered' => $sum(static fn (BucketStatus $bucket): int => $bucket->events->delivered),
            'dead' => $sum(static fn (BucketStatus $bucket): int => $bucket->events->dead),
            'dropped' => $sum(static fn (BucketStatus $bucket): int => $bucket->events->dropped),
            'pending' => $status->pending(),
            'missing' => $sum(static fn (BucketStatus $bucket): int => $bucket->events->missing),
            'letters' => $sum(static fn (BucketStatus $bucket): int => $bucket->storage->letters),
            'oldest_seconds' => $status->oldestSeconds(),
            'in_per_second' => self::rate(
                $status,
                static fn (BucketStatus $one): ?float => $one->throughput->inPerSecond,
            ),
            'out_per_second' => self::rate(
                $status,
                static fn (BucketStatus $one): ?float => $one->throughput->outPerSecond,
            ),
        ];
    }

    /** @param callable(BucketStatus): ?float $of */
    private static function rate(SpoolStatus $status, callable $of): ?float
    {
        $known = array_filter(array_map($of, $status->buckets), is_float(...));

        return $known === [] ? null : array_sum($known);
    }

    /** @return array<string, mixed> */
    private function flush(SpoolStatus $status): array
    {
        $config = $this->spool->config();
        $isScheduled = $config->schedule();

        return [
            'last_seconds' => $this->lastFlush($status),
            'schedule' => $isScheduled ? FlushSchedule::summary($config) : null,
            // The scheduler runs at the start of each minute.
            'next_seconds' => $isScheduled ? 60 - intdiv($this->spool->clock()->micros(), 1_000_000) % 60 : null,
            'autoflush' => $config->autoflush(),
        ];
    }

    /** A flush that finds no event leaves a trace on this disk only. */
    private function lastFlush(SpoolStatus $status): int|float|null
    {
        $seconds = array_map(
            static fn (BucketStatus $bucket): ?float
                => $bucket->store === 'redis' ? $bucket->flush->flushedSeconds : null,
            $status->buckets,
        );
        $known = array_filter([(new LastFlush($this->spool))->seconds(), ...$seconds], is_numeric(...));

        return $known === [] ? null : min($known);
    }

    /**
     * Running workers, and other processes that flush at this moment.
     *
     * @return list<array{pid: int, host: string, buckets: list<string>, since: ?int}>
     */
    private function workers(SpoolStatus $status): array
    {
        $workers = [];

        foreach ((new WorkerFiles($status->path, Permissions::of($this->spool->config())))->running() as $worker) {
            $workers["{$worker->host} {$worker->pid}"] = [
                'pid' => $worker->pid,
                'host' => $worker->host,
                'buckets' => $worker->buckets,
                'since' => $worker->since,
            ];
        }

        foreach ($this->flushes($status) as $name => $names) {
            [$host, $pid] = [...explode(' ', $name, 2), ''];
            $workers[$name] ??= ['pid' => (int) $pid, 'host' => $host, 'buckets' => $names, 'since' => null];
        }

        return array_values($workers);
    }

    /** @return array<string, list<string>> buckets by host and pid of the process that flushes them now */
    private function flushes(SpoolStatus $status): array
    {
        $buckets = [];

        foreach ($status->buckets as $bucket) {
            // For a bucket in Redis, the owner's name is "token host pid scope".
            [, $host, $pid] = [...explode(' ', $bucket->flush->owner), '', '', ''];

            if ($bucket->store === 'file') {
                [$host, $pid] = [HostName::own(), $this->flushing($bucket->bucket)];
            }

            if ((int) $pid > 0) {
                $buckets["{$host} {$pid}"][] = $bucket->bucket;
            }
        }

        return $buckets;
    }

    private function flushing(string $bucket): ?int
    {
        try {
            return $this->spool->store()->flushing($bucket);
        } catch (HeadroomException) {
            return null; // The bucket's own error has the reason.
        }
    }

    /** @return array{free_bytes: ?int, total_bytes: ?int, min_free_bytes: int} */
    private function disk(string $path): array
    {
        // Before the first event the directory does not exist.
        while (! is_dir($path) && strlen($path) > 1) {
            $path = dirname($path);
        }

        $free = PhpRestrictions::call('disk_free_space', $path);
        $total = PhpRestrictions::call('disk_total_space', $path);

        return [
            'free_bytes' => is_float($free) ? (int) $free : null,
            'total_bytes' => is_float($total) ? (int) $total : null,
            'min_free_bytes' => $this->spool->config()->minFreeBytes(),
        ];
    }
}
