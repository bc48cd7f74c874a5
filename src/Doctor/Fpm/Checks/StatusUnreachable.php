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
final readonly class StatusUnreachable implements PoolCheck
{
    public function examine(FpmPool $pool, Facts $facts): Finding
    {
        $path = $pool->text('pm.status_path');
        $evidence = [$pool->evidence('pm.status_path'), $pool->evidence('pm.status_listen')];

        return $path !== null && $pool->text('pm.status_listen') !== null
            ? Finding::pass('the status page answers even if the pool is full', ...$evidence)
            : Finding::warn(
                $path === null ? 'The pool has no status page.' : 'A process of the pool answers its status page.',
                $evidence,
                new Fix(changes: [
                    ...($path === null ? [PoolEdit::of($pool, 'pm.status_path', '/fpm-status')] : []),
                    PoolEdit::of($pool, 'pm.status_listen', "/run/php-fpm-{$pool->name()}-status.sock"),
                ]),
            );
    }
}
