<?php

declare(strict_types=1);

namespace Headroom\Collector\Server;

use Headroom\Spool\BucketStatus;

/**
 * How the delivery of the collector's bucket stands, in words that tell a stranger no size, name or place.
 *
 * @internal
 */
enum DeliveryState: string
{
    /** Nothing failed the last time, or nothing waits. */
    case Delivering = 'delivering';

    /** The last try failed, as where a sink is down or its index is not ready, and another one is due. */
    case Retrying = 'retrying';

    /** Events have waited for minutes, and nothing failed: no flusher, worker or schedule delivers them in time. */
    case Waiting = 'waiting';

    case RateLimited = 'rate_limited';

    case Paused = 'paused';

    /** Nothing is delivered until an operator has looked: spool:status has the reason. */
    case Stopped = 'stopped';

    /** No process has looked at the buffer lately. */
    case Unknown = 'unknown';

    /** A schedule delivers once a minute. */
    private const LATE_SECONDS = 120;

    public static function of(BucketStatus $bucket): self
    {
        return match (true) {
            $bucket->paused !== null => self::Paused,
            $bucket->isForked,
            $bucket->isDiskForked,
            $bucket->setBack !== null,
            $bucket->error !== null => self::Stopped,
            $bucket->flush->trouble !== null => self::Retrying,
            $bucket->flush->goesOnSeconds !== null => self::RateLimited,
            $bucket->events->pending > 0 && ($bucket->sink === null || $bucket->oldestSeconds > self::LATE_SECONDS)
                => self::Waiting,
            default => self::Delivering,
        };
    }
}
