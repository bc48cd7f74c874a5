<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm\Checks;

use Headroom\Doctor\Confidence;
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
                'connections that wait',
                $queue->limit === null ? (string) $queue->waiting : "{$queue->waiting} of {$queue->limit}",
                $queue->source,
            ),
            $pool->evidence('pm.max_children'),
        ];

        return $queue->waiting === 0 ? Finding::pass('nobody waits', ...$evidence) : Finding::fail(
            "{$queue->waiting} connections wait for a process.",
            $evidence,
            $queue->isFull() === true
                ? 'The next request is answered with 502 at once.'
                : 'Each request takes as much longer as it waits.',
            new Fix(
                'Find out what the processes wait for: switch the slow log on (check F8) and read it with headroom'
                    .' slowlog. More processes help only where CPU and memory are free.',
                [],
                [],
                'Nothing was changed.',
                'ss -xl, or ss -tln: Recv-Q',
            ),
        )->restingOn(Confidence::Observed);
    }
}
