<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm\Checks;

use Headroom\Doctor\Confidence;
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
    /** Each is a second. One or two may be of a start without load before it. */
    private const MANY = 3;

    public function examine(FpmPool $pool, Facts $facts): Finding
    {
        if ($pool->setting('pm')->value !== 'dynamic') {
            return Finding::skipped("it starts none for a burst (pm = {$pool->setting('pm')->value})");
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

        if ($last === null || count($lines) < self::MANY) {
            return Finding::pass('there were enough', ...$evidence)->restingOn(Confidence::Observed);
        }

        if (! $log->tellsStart) {
            throw FactUnavailable::because(
                count($lines)." times the log says \"seems busy\", last at {$last->time}. At this log_level it does"
                    .' not say when PHP-FPM was reloaded, so they may be of before.',
                "grep 'seems busy' {$log->path} | tail",
            );
        }

        $edit = PoolEdit::to($pool->settings, 'pm', 'static');

        return Finding::warn(
            count($lines)." times it had to start processes by the eight, last at {$last->time}.",
            $evidence,
            'In a burst requests wait for processes that are being started.',
            new Fix(
                'Keep all of pm.max_children: memory for them has to be there anyway (check F1).'
                    .' Where other pools need it too, raise pm.start_servers and pm.min_spare_servers instead.',
                [$edit],
                [$pool->reload()],
                'Put the line back and reload PHP-FPM.',
            ),
        )->restingOn(Confidence::Observed);
    }
}
