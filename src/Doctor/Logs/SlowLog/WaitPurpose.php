<?php

declare(strict_types=1);

namespace Headroom\Doctor\Logs\SlowLog;

/**
 * The part of Laravel that a wait serves, by Laravel's frames in the trace. If several fit, the first of these counts:
 * the session may be stored in the cache, and the cache in Redis.
 *
 * @internal
 */
enum WaitPurpose: string
{
    case SessionWrite = 'session_write';
    case SessionRead = 'session_read';
    case Session = 'session';
    case RateLimit = 'rate_limit';
    case CacheLock = 'cache_lock';
    case Queue = 'queue';
    case Broadcast = 'broadcast';
    case Cache = 'cache';

    public function words(): string
    {
        return match ($this) {
            self::SessionWrite => 'while the session is written',
            self::SessionRead => 'while the session is read',
            self::Session => 'while the session is opened or closed',
            self::RateLimit => 'while a rate limit is counted',
            self::CacheLock => 'while it waits for a cache lock',
            self::Queue => 'while a job is put on the queue',
            self::Broadcast => 'while an event is broadcast',
            self::Cache => 'while the cache is used',
        };
    }

    public function outranks(?self $other): bool
    {
        return $other === null || array_search($this, self::cases(), true) < array_search($other, self::cases(), true);
    }
}
