<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Fpm;

use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\PoolCheck;

/**
 * @internal
 */
final readonly class NoTerminateTimeout implements PoolCheck
{
    public function examine(FpmPool $pool, Facts $facts): Finding
    {
        if ($pool->seconds('request_terminate_timeout') > 0) {
            return Finding::pass('a request that hangs is ended', $pool->evidence('request_terminate_timeout'));
        }

        $end = RequestTimeouts::of($facts, $pool);
        $patience = $end->patience;

        return Finding::warn(
            'It ends no request, however long it takes.',
            [$pool->evidence('request_terminate_timeout')],
            'What waits for a server that does not answer is lost to the pool until PHP-FPM is restarted.',
            new Fix(
                sprintf(
                    'End it just before nginx gives it up, after %s seconds%s. Longer work belongs into a queue.',
                    $patience / 1000,
                    $patience === RequestTimeouts::DEFAULT_MILLISECONDS ? ', the default' : '',
                ),
                $end->edits(),
                [$pool->reload()],
                'Take the line back and reload PHP-FPM.',
            ),
        );
    }
}
