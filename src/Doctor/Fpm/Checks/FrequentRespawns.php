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

    private const ADVISED = '5000';

    public function examine(FpmPool $pool, Facts $facts): Finding
    {
        $most = $pool->integer('pm.max_requests');
        $evidence = $pool->evidence('pm.max_requests');

        return $most === 0 || $most >= self::FEWEST ? Finding::pass('the processes live long', $evidence)
            : Finding::warn(
                "A process ends after {$most} requests.",
                [$evidence],
                new Fix(changes: [PoolEdit::of($pool, 'pm.max_requests', self::ADVISED)]),
            );
    }
}
