<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm\Checks;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Fpm\Config\PoolEdit;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\PoolCheck;
use Headroom\Doctor\Logs\ErrorLog\FpmError;

/**
 * @internal
 */
final readonly class SpawnLag implements PoolCheck
{
    /** Each line stands for a second. One or two may come from a start without load before it. */
    private const MIN_LINES = 3;

    public function examine(FpmPool $pool, Facts $facts): Finding
    {
        $mode = $pool->setting('pm')->value;

        if ($mode !== 'dynamic') {
            return Finding::skipped("the pool starts no processes for a burst (pm = {$mode})");
        }

        $log = $pool->log();
        $lines = $log->about(FpmError::Busy, $pool->name());
        $last = $lines === [] ? null : $lines[count($lines) - 1];
        $evidence = [
            new Evidence('"seems busy" in the log', (string) count($lines), "the last lines of {$log->path}"),
            $pool->evidence('pm.start_servers'),
            $pool->evidence('pm.min_spare_servers'),
            $pool->evidence('pm.max_children'),
        ];

        if ($last === null || count($lines) < self::MIN_LINES) {
            return Finding::pass('there were enough spare processes', ...$evidence)->observed();
        }

        if (! $log->tellsStart) {
            throw FactUnavailable::because(
                'The log has '.count($lines)." lines \"seems busy\", the last at {$last->time}. At this log_level it"
                    .' does not contain reloads of PHP-FPM, so the lines may be older than the configuration.',
                "grep 'seems busy' {$log->path} | tail",
            );
        }

        return Finding::warn(
            count($lines)." times the pool had to start eight processes at once, last at {$last->time}.",
            $evidence,
            new Fix(changes: [PoolEdit::of($pool, 'pm', 'static')]),
        )->observed();
    }
}
