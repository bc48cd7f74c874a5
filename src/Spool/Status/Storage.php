<?php

declare(strict_types=1);

namespace Headroom\Spool\Status;

/**
 * Where the events of a bucket are stored.
 */
final readonly class Storage
{
    /**
     * @param int $pendingBytes bytes of files with pending events
     * @param int $usedBytes bytes that `max_bytes` limits: of files with undelivered events
     * @param int $segments files with undelivered events
     * @param int $onDisk for a bucket in Redis: pending events on this machine's disk
     * @param int $damaged damaged ranges whose bytes are in quarantine
     * @param int $letters number of dead letters
     * @param list<string> $held active segments that a process has locked, in words
     * @param ?string $unsynced why the bucket does not have the durability that it promises
     */
    public function __construct(
        public int $pendingBytes = 0,
        public int $usedBytes = 0,
        public ?int $maxBytes = null,
        public int $segments = 0,
        public int $onDisk = 0,
        public int $damaged = 0,
        public int $letters = 0,
        public array $held = [],
        public ?string $unsynced = null,
    ) {}
}
