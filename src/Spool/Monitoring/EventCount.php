<?php

declare(strict_types=1);

namespace Headroom\Spool\Monitoring;

/**
 * @internal
 */
final class EventCount
{
    public int $events = 0;

    /** Of these in segments. */
    public int $sealed = 0;

    /** Of these in slots, dead letters that are on their way back. */
    public int $revived = 0;

    public int $bytes = 0;

    /** @var list<string> */
    public array $unreadable = [];

    /** Microseconds since the Unix epoch. */
    public ?int $oldest = null;

    public function add(int $events, int $acceptedAt): void
    {
        $this->events += $events;
        $this->oldest = min($this->oldest ?? $acceptedAt, $acceptedAt);
    }
}
