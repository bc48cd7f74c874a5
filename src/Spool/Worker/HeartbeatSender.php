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
 * Tells about three times a minute that this node lives. Whoever of its processes comes first does it, and nothing that
 * goes wrong with it is in anybody's way.
 *
 * @internal
 */
final readonly class HeartbeatSender
{
    public const SECONDS = 20;

    /**
     * A database that is down is asked this rarely, since asking may take long. Whoever says nothing for
     * longer counts as silent.
     */
    private const LONGEST_SECONDS = 240;

    /** Where there is no table, somebody may make it. */
    private const WITHOUT_TABLE_SECONDS = 60;

    /** Counting a large backlog may take this share of the time, as long as the node does not fall silent for it. */
    private const SHARE = 20;

    public function __construct(private SpoolServices $spool) {}

    /** A look at one file. */
    public function isDue(): bool
    {
        try {
            return $this->spool->nodes() !== null && $this->hasCause() && $this->interval()->isDue(self::SECONDS);
        } catch (Throwable) {
            return false;
        }
    }

    /** Before the first event there is nothing to tell, and a directory made now would be this user's. */
    public function hasCause(): bool
    {
        return ! $this->spool->isUntouched() || $this->spool->store()->hasServedRedis();
    }

    /**
     * @param ?Closure(): void $beforeAsking what asks the database, and might hang; the disk, which may hold much to be
     *     counted, has been looked at by then
     * @return bool whether it was this process's turn, and the database took it
     */
    public function beat(?Closure $beforeAsking = null): bool
    {
        try {
            $nodes = $this->spool->nodes();

            if ($nodes === null || ! $this->hasCause()) {
                return false;
            }

            $interval = $this->interval();

            if ($interval->take(self::SECONDS) !== null) {
                $seconds = $this->tell($nodes, $interval, $beforeAsking);
                $interval->putOff($seconds ?? self::LONGEST_SECONDS, self::SECONDS);

                return $seconds !== null;
            }
        } catch (Throwable) {
            // An unreadable directory, say: what has to say so does.
        }

        return false;
    }

    /** @return ?int seconds until the next one; null where the database did not answer */
    private function tell(Nodes $nodes, Throttle $interval, ?Closure $beforeAsking): ?int
    {
        $clock = $this->spool->clock();
        // A process that is killed, or waits for an answer for ever, must not be followed by one after the other.
        $interval->putOff(self::LONGEST_SECONDS, self::SECONDS);
        $start = $clock->monotonicNanos();
        $beat = $this->look();
        $counted = intdiv($clock->monotonicNanos() - $start, 1_000_000_000);

        $beforeAsking === null ? null : $beforeAsking();

        try {
            return $nodes->beat($beat)
                ? max(self::SECONDS, min(self::LONGEST_SECONDS - $counted, self::SHARE * $counted))
                : self::WITHOUT_TABLE_SECONDS;
        } catch (Throwable) {
            return null;
        }
    }

    /** What lies here, as far as the disk tells: a sink that hangs must not be asked. */
    public function look(): Heartbeat
    {
        $store = $this->spool->store();
        $isNew = Path::isAbsent("{$store->root}/node");
        $node = $store->node();

        if ($isNew) {
            // Where all is in Redis, no request has made it; and one that must write to this disk one
            // day must not be kept out.
            RootDirectory::handOver("{$store->root}/node");
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
                $seen->history->trouble(),
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
