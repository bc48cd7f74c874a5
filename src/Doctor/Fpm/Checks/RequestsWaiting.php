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
final readonly class RequestsWaiting implements PoolCheck
{
    public function examine(FpmPool $pool, Facts $facts): Finding
    {
        $queue = $pool->queue();
        $waiting = $queue->limit === null ? (string) $queue->waiting : "{$queue->waiting} of {$queue->limit}";
        $evidence = [
            new Evidence('waiting connections', $waiting, $queue->source),
            $pool->evidence('pm.max_children'),
        ];

        return $queue->waiting === 0 ? Finding::pass('no connection waits', ...$evidence) : Finding::fail(
            "{$queue->waiting} connections wait for a process.",
            $evidence,
            new Fix(verify: 'ss -xl, or ss -tln: Recv-Q'),
        )->observed();
    }
}
