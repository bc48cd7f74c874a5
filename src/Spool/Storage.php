<?php

declare(strict_types=1);

namespace Headroom\Spool;

/**
 * Where the events of a bucket lie.
 */
final readonly class Storage
{
    /**
     * @param int $pendingBytes of files that hold pending events
     * @param int $usedBytes of files with events that are not delivered yet: max_bytes limits these
     * @param int $segments files with events that are not delivered yet
     * @param int $onDisk of the pending events of a bucket in Redis, those that wait on this machine's disk
     * @param int $damaged places whose bytes are in quarantine
     * @param int $letters dead letters that are kept
     * @param list<string> $held active segments that a process keeps locked, in words
     * @param ?string $unsynced why accepted events do not survive what the durability promises, for now
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
