<?php

declare(strict_types=1);

namespace Headroom\Doctor\Logs\SlowLog;

/**
 * What Laravel waits for it with, as far as its own frames tell. Of several the first of these counts: the session may
 * be kept in the cache, which is kept in Redis.
 *
 * @internal
 */
enum Purpose: string
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
