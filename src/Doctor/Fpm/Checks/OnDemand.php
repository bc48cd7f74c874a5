<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm\Checks;

use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Fpm\Config\PoolEdit;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\PoolCheck;

/**
 * @internal
 */
final readonly class OnDemand implements PoolCheck
{
    public function examine(FpmPool $pool, Facts $facts): Finding
    {
        $mode = $pool->setting('pm')->value;

        return $mode !== 'ondemand'
            ? Finding::pass("the processes start before requests arrive (pm = {$mode})", $pool->evidence('pm'))
            : Finding::warn(
                'The processes of the pool start when requests arrive.',
                [$pool->evidence('pm'), $pool->evidence('pm.process_idle_timeout'), $pool->evidence('pm.max_children')],
                new Fix(changes: [PoolEdit::of($pool, 'pm', 'static')]),
            );
    }
}
