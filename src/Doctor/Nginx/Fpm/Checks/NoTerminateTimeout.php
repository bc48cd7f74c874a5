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

        return $pool->seconds(self::SETTING) > 0
            ? Finding::pass('PHP-FPM ends a request that hangs', $evidence)
            : Finding::warn(
                'PHP-FPM ends no request, however long it runs.',
                [$evidence],
                new Fix(changes: RequestTimeouts::of($facts, $pool)->edits()),
            );
    }
}
