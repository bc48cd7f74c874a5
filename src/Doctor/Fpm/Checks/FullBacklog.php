<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm\Checks;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\PoolCheck;

/**
 * @internal
 */
final readonly class FullBacklog implements PoolCheck
{
    public function examine(FpmPool $pool, Facts $facts): Finding
    {
        $queue = $pool->queue();
        $evidence = [
            new Evidence(
                'waiting connections',
                $queue->limit === null ? (string) $queue->waiting : "{$queue->waiting} of {$queue->limit}",
                $queue->source,
            ),
            $pool->evidence('pm.max_children'),
        ];

        return $queue->waiting === 0 ? Finding::pass('no connection waits', ...$evidence) : Finding::fail(
            "{$queue->waiting} connections wait for a process.",
            $evidence,
            $queue->isFull() === true
                ? 'The next request is answered with 502 at once.'
                : 'Each request takes longer by the time that it waits.',
            new Fix(
                'Find out what the processes wait for: enable the slow log (check F8) and read it with'
                    .' headroom logs:slow. More processes help only if CPU and memory are free.',
                verify: 'ss -xl, or ss -tln: Recv-Q',
            ),
        )->observed();
    }
}
