<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Fpm\Checks;

use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\PoolCheck;
use Headroom\Doctor\Nginx\Fpm\RequestTimeouts;

/**
 * @internal
 */
final readonly class NoTerminateTimeout implements PoolCheck
{
    private const SETTING = 'request_terminate_timeout';

    public function examine(FpmPool $pool, Facts $facts): Finding
    {
        $evidence = $pool->evidence(self::SETTING);

        if ($pool->seconds(self::SETTING) > 0) {
            return Finding::pass('PHP-FPM ends a request that hangs', $evidence);
        }

        $timeouts = RequestTimeouts::of($facts, $pool);

        return Finding::warn(
            'PHP-FPM ends no request, however long it runs.',
            [$evidence],
            'A process that waits for a server that does not answer is lost until PHP-FPM restarts.',
            new Fix(
                sprintf(
                    'End requests just before nginx gives up, after %s seconds%s. Move longer work to a queue.',
                    $timeouts->patience / 1000,
                    $timeouts->patience === RequestTimeouts::DEFAULT_MILLISECONDS ? ' by default' : '',
                ),
                $timeouts->edits(),
            ),
        );
    }
}
