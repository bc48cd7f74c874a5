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
final readonly class FrequentRespawns implements PoolCheck
{
    private const FEWEST = 500;

    public function examine(FpmPool $pool, Facts $facts): Finding
    {
        $most = $pool->integer('pm.max_requests');

        if ($most === 0 || $most >= self::FEWEST) {
            return Finding::pass('they last', $pool->evidence('pm.max_requests'));
        }

        $edit = PoolEdit::to($pool->settings, 'pm.max_requests', '5000');

        return Finding::warn(
            "A process ends after {$most} requests.",
            [$pool->evidence('pm.max_requests')],
            'Forks and new connections, again and again.',
            new Fix(
                'Let it serve 5000.',
                [$edit],
                [$pool->reload()],
                'Put the line back and reload PHP-FPM.',
            ),
        );
    }
}
