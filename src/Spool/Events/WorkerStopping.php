<?php

declare(strict_types=1);

namespace Headroom\Spool\Events;

/**
 * A worker of spool:work is about to end. With several buckets each has a worker process of its own, and each
 * dispatches this.
 */
final readonly class WorkerStopping
{
    /**
     * @param list<string> $buckets that this worker delivered
     * @param string $reason "stopped" (a signal, a time limit or spool:restart), "memory_limit", "drained" or "failed"
     *     (--stop-when-empty without and with a failure), "error" (an exception)
     */
    public function __construct(public array $buckets, public string $reason) {}
}
