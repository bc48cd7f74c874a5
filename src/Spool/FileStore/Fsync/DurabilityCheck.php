<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\Fsync;

use Headroom\Core\Clock;
use Headroom\Core\Finding;
use Headroom\Spool\Durability;
use Headroom\Spool\FileStore\FileStore;
use Headroom\Spool\FileStore\FilesystemProbe;
use Headroom\Support\Path;

/**
 * Checks whether a bucket can survive a power cut to the extent that its durability promises.
 *
 * @internal
 */
final readonly class DurabilityCheck
{
    /** A worker syncs a bucket before each flush of it, and a flush takes a few seconds. */
    private const LATE_SECONDS = 60;

    private const IN_MEMORY = ['tmpfs', 'ramfs', 'devtmpfs'];

    /** Mount options with which fsync() returns before anything is on disk: mount(8), ext4(5), overlayfs. */
    private const WITHOUT_BARRIER = ['nobarrier', 'barrier=0', 'volatile', 'fsync=volatile'];

    public function __construct(
        private FileStore $store,
        private string $bucket,
        private Durability $durability,
        private Clock $clock,
        private ?FilesystemProbe $filesystem = null,
    ) {}

    /** @return list<Finding> */
    public function findings(): array
    {
        return $this->durability->isSynced() ? [...$this->functions(), ...$this->filesystem(), ...$this->worker()] : [];
    }

    /** @return ?string the note that spool:status prints */
    public function note(): ?string
    {
        return $this->worker()[0]->message ?? null;
    }

    /** @return list<Finding> */
    private function worker(): array
    {
        $layout = $this->store->layout($this->bucket);

        if ($this->durability !== Durability::Interval || Path::isAbsent($layout->directory)) {
            return [];
        }

        $since = SyncLease::secondsSinceSync($layout, $this->clock);
        $message = match (true) {
            $since === null => 'Its durability is interval, but no running spool:work puts it on disk: a power'
                .' cut loses accepted events that are not delivered.',
            $since > self::LATE_SECONDS =>
                "Its durability is interval, but spool:work last put it on disk {$since} s ago: a"
                    .' delivery hangs, or the disk fails.',
            default => null,
        };

        return $message === null
            ? []
            : [new Finding(
                "bucket {$this->bucket}",
                $message,
                'Keep `spool:work` running and look at what it prints, or set spool.buckets.'.$this->bucket
                    .'.durability to process or power.',
            )];
    }

    /** @return list<Finding> */
    private function functions(): array
    {
        $missing = array_filter(
            PowerSync::REQUIRED_FUNCTIONS,
            static fn (string $function): bool => ! function_exists($function),
        );

        return $missing === [] ? [] : [new Finding(
            "bucket {$this->bucket}",
            "Its durability is {$this->durability->value}, and the host has switched off ".implode(' and ', $missing)
                .', without which no event is put on disk.',
            'Ask your host to remove it from disable_functions in php.ini, or set spool.buckets.'.$this->bucket
                .'.durability to process.',
        )];
    }

    /** @return list<Finding> */
    private function filesystem(): array
    {
        $filesystem = $this->filesystem ?? new FilesystemProbe($this->store->root);
        $withoutBarrier = array_intersect($filesystem->options(), self::WITHOUT_BARRIER);
        $message = match (true) {
            in_array($filesystem->type(), self::IN_MEMORY, true) => "Its durability is {$this->durability->value}, but"
                ." the buffer is on {$filesystem->type()}, which is memory.",
            $withoutBarrier
                !== [] => "Its durability is {$this->durability->value}, but the filesystem is mounted with "
                .implode(', ', $withoutBarrier).', so that fsync() does not wait for the disk.',
            default => null,
        };

        return $message === null ? [] : [new Finding(
            "bucket {$this->bucket}",
            $message,
            "Point spool.path to a directory on a disk that keeps data, or set spool.buckets.{$this->bucket}.durability"
                .' to process.',
        )];
    }
}
