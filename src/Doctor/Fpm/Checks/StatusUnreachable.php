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

        if ($path !== null && $pool->text('pm.status_listen') !== null) {
            return Finding::pass('it answers when the pool is full as well', ...$evidence);
        }

        $edits = [
            ...($path === null ? [PoolEdit::to($pool->settings, 'pm.status_path', '/fpm-status')] : []),
            PoolEdit::to($pool->settings, 'pm.status_listen', "/run/php-fpm-{$pool->name()}-status.sock"),
        ];

        return Finding::warn(
            $path === null ? 'It has no status page.' : 'Its status page is answered by the pool itself.',
            $evidence,
            'What the processes do while all are busy can not be seen.',
            new Fix(
                'Give the page a socket of its own.',
                $edits,
                [$pool->reload()],
                'Take the lines back and reload PHP-FPM.',
            ),
        );
    }
}
