<?php

declare(strict_types=1);

namespace Headroom\Spool\Worker;

use Closure;
use Headroom\Core\HeadroomException;
use Headroom\Spool\FileStore\FileStore;
use Headroom\Spool\FileStore\RootDirectory;
use Headroom\Spool\FileStore\State\CountersFile;
use Headroom\Spool\FileStore\State\MachineId;
use Headroom\Spool\FileStore\State\Throttle;
use Headroom\Spool\Monitoring\BucketHeartbeat;
use Headroom\Spool\Monitoring\Heartbeat;
use Headroom\Spool\Monitoring\Inspector;
use Headroom\Spool\Monitoring\Nodes;
use Headroom\Spool\Services\SpoolServices;
use Headroom\Support\HostName;
use Headroom\Support\Path;
use Headroom\Support\PhpRestrictions;
use Throwable;

/**
 * Sends a heartbeat of this node about three times a minute. The first process that finds it due sends it. A failure
 * affects no other work.
 *
 * @internal
 */
final readonly class HeartbeatSender
{
    public const INTERVAL_SECONDS = 20;

    /** A node counts as silent after a longer time. */
    private const MAX_INTERVAL_SECONDS = 240;

    /** The interval while the table is missing or the database is down, because an attempt may take eight seconds. */
    private const FAILED_SECONDS = 60;

    /**
     * The interval is this many times as long as counting the backlog took, from INTERVAL_SECONDS to
     * MAX_INTERVAL_SECONDS.
     */
    private const COUNTING_FACTOR = 20;

    public function __construct(private SpoolServices $spool) {}

    /** Reads one file. */
    public function isDue(): bool
    {
        try {
            return $this->spool->nodes() !== null
                && $this->hasCause()
                && $this->interval()->isDue(self::INTERVAL_SECONDS);
        } catch (Throwable) {
            return false;
        }
    }

    /** Before the first event there is nothing to report, and a directory created now would belong to this user. */
    public function hasCause(): bool
    {
        return ! $this->spool->isUntouched() || $this->spool->store()->hasServedRedis();
    }

    /**
     * @param ?Closure(): void $beforeQuery called after the events on disk are counted and before the database is
     *     asked, which might hang
     * @return bool whether this process sent a heartbeat and the database took it
     */
    public function beat(?Closure $beforeQuery = null): bool
    {
        try {
            $nodes = $this->spool->nodes();

            if ($nodes === null || ! $this->hasCause()) {
                return false;
            }

            $interval = $this->interval();

            if ($interval->claimTurn(self::INTERVAL_SECONDS) !== null) {
                $seconds = $this->send($nodes, $interval, $beforeQuery);
                $interval->postpone($seconds ?? self::FAILED_SECONDS, self::INTERVAL_SECONDS);

                return $seconds !== null;
            }
        } catch (Throwable) {
            // The health checks report the cause, an unreadable directory for example.
        }

        return false;
    }

    /** @return ?int seconds until the next heartbeat; null when the database did not answer */
    private function send(Nodes $nodes, Throttle $interval, ?Closure $beforeQuery): ?int
    {
        $clock = $this->spool->clock();
        // Postpone the next heartbeat first. If the database hangs and this process is killed or waits forever, no
        // other process tries at once.
        $interval->postpone(self::MAX_INTERVAL_SECONDS, self::INTERVAL_SECONDS);
        $start = $clock->monotonicNanos();
        $beat = $this->read();
        $counted = intdiv($clock->monotonicNanos() - $start, 1_000_000_000);

        $beforeQuery === null ? null : $beforeQuery();

        try {
            return $nodes->beat($beat)
                ? max(
                    self::INTERVAL_SECONDS,
                    min(self::MAX_INTERVAL_SECONDS - $counted, self::COUNTING_FACTOR * $counted),
                )
                : self::FAILED_SECONDS;
        } catch (Throwable) {
            return null;
        }
    }

    /** Reads the numbers from the disk only. A sink is not asked, because it could hang. */
    public function read(): Heartbeat
    {
        $store = $this->spool->store();
        $isNew = Path::isAbsent("{$store->root}/node");
        $node = $store->node();

        if ($isNew) {
            // When all buckets are in Redis, no request has created the file with the node id. A request that later
            // writes to this disk must be able to use the file.
            RootDirectory::giveToOwner("{$store->root}/node");
        }

        return new Heartbeat(
            $node,
            MachineId::of($store->root),
            HostName::own(),
            PhpRestrictions::pid(),
            $store->root,
            array_map(fn (string $name): BucketHeartbeat => $this->bucket($name, $store), $store->buckets()),
        );
    }

    private function bucket(string $name, FileStore $store): BucketHeartbeat
    {
        $clock = $this->spool->clock();

        try {
            $layout = $store->layout($name);
            $seen = (new Inspector($layout, $store->permissions, $clock))->inspect(static fn () => null);
            $counts = (new CountersFile($layout, $clock))->read();
            $oldest = $seen->oldestSeconds($clock->micros());

            return new BucketHeartbeat(
                $name,
                $seen->events->pending,
                $oldest === null ? null : (int) $oldest,
                $seen->events->dead,
                $counts?->droppedInAll() ?? 0,
                $seen->history->lastFailure(),
            );
        } catch (HeadroomException $e) {
            return new BucketHeartbeat($name, 0, null, 0, 0, $e->getMessage());
        }
    }

    private function interval(): Throttle
    {
        $store = $this->spool->store();

        return new Throttle("{$store->root}/heartbeat", $store->permissions, $this->spool->clock());
    }
}
