<?php

declare(strict_types=1);

namespace Headroom\Collector\Server;

use Headroom\Spool\BucketStatus;

/**
 * State of the delivery of the collector's bucket, without sizes, names or places, because every client can read it.
 *
 * @internal
 */
enum DeliveryState: string
{
    /** The last delivery succeeded, or no event waits. */
    case Delivering = 'delivering';

    /** The last delivery failed, for example because the sink is down, and a retry is due. */
    case Retrying = 'retrying';

    /** Events have waited for minutes and no delivery failed: no flusher, worker or schedule runs often enough. */
    case Waiting = 'waiting';

    case RateLimited = 'rate_limited';

    case Paused = 'paused';

    /** Delivery stops until an operator decides; spool:status has the reason. */
    case Stopped = 'stopped';

    /** The supervisor has not refreshed the state lately. */
    case Unknown = 'unknown';

    /** A schedule delivers once per minute. */
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
