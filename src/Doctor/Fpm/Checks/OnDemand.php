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
        if ($pool->setting('pm')->value !== 'ondemand') {
            return Finding::pass(
                "its processes are there before requests come (pm = {$pool->setting('pm')->value})",
                $pool->evidence('pm'),
            );
        }

        $edit = PoolEdit::to($pool->settings, 'pm', 'static');

        return Finding::warn(
            'Its processes are forked when requests come.',
            [$pool->evidence('pm'), $pool->evidence('pm.process_idle_timeout'), $pool->evidence('pm.max_children')],
            'The first requests of a burst wait, and connections to Redis and SQL are opened anew each time.',
            new Fix(
                'Where the machine is for this application, keep all processes.',
                [$edit],
                [$pool->reload()],
                'Put the line back and reload PHP-FPM.',
            ),
        );
    }
}
