<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Kernel\Sockets\AcceptQueue;
use Headroom\Doctor\Kernel\Sockets\ListenSockets;

/**
 * The accept queue of a pool's socket, from the kernel, or for a pool on another machine from its status page.
 *
 * @internal
 */
final readonly class PoolAcceptQueue
{
    /** @throws FactUnavailable */
    public static function fullest(FpmPool $pool, ListenSockets $sockets): AcceptQueue
    {
        $address = $pool->address();

        if (! $pool->master->isSeen) {
            return $address->isUnix() ? $sockets->unix($address->host) : self::ofStatusPage($pool);
        }

        if ($address->port === null) {
            return $sockets->unix($address->host, $pool->master->pid);
        }

        $queues = $sockets->port($address->port, $pool->master->pid);
        usort($queues, static fn (AcceptQueue $a, AcceptQueue $b): int => $b->waiting <=> $a->waiting);

        return $queues[0];
    }

    /** A remote TCP socket: the kernel of this machine does not know it. */
    private static function ofStatusPage(FpmPool $pool): AcceptQueue
    {
        $status = $pool->status();

        return new AcceptQueue(
            $pool->address()->text(),
            $status->listenQueue ?? throw FactUnavailable::because(
                "{$status->source} does not report its listen queue.",
                'ss -tln   # where the pool runs',
            ),
            $status->listenQueueLength,
            $status->source,
        );
    }
}
