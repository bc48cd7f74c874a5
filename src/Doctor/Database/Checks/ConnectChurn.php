<?php

declare(strict_types=1);

namespace Headroom\Doctor\Database\Checks;

use Headroom\Doctor\Check;
use Headroom\Doctor\Database\BufferAdvice;
use Headroom\Doctor\Database\DatabaseWindow;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\FpmPools;

/**
 * @internal
 */
final readonly class ConnectChurn implements Check
{
    private const SHARE = 0.05;

    public function examine(Facts $facts): iterable
    {
        $window = $facts->get(DatabaseWindow::class);
        $processes = array_sum(array_map(
            static fn (FpmPool $pool): int => $pool->integer('pm.max_children'),
            $facts->get(FpmPools::class)->pools,
        ));
        $perSecond = $window->rise('connections') / max(0.001, $window->seconds);
        $busy = $perSecond * $window->connect;
        $evidence = [
            $window->shown('connections'),
            $window->connecting(),
            $window->trip(),
            new Evidence('processes of PHP-FPM', (string) $processes, 'pm.max_children of its pools'),
        ];

        yield $busy <= self::SHARE * $processes
            ? Finding::pass('few connections were opened during the observation', ...$evidence)
            : Finding::warn(
                sprintf(
                    '%.0f new connections per second take %.1f ms each: %.1f of %d processes do nothing else.',
                    $perSecond,
                    1e3 * $window->connect,
                    $busy,
                    $processes,
                ),
                $evidence,
                new Fix(
                    'On the same machine, connect by a Unix socket (DB_SOCKET). Otherwise run a pooler next'
                        .' to PHP, such as ProxySQL, MaxScale or PgBouncer: it keeps connections without the risks'
                        .' of persistent connections of PDO (check D3). Or avoid the connection. '
                        .BufferAdvice::insteadOfInserts(),
                ),
            )->observed();
    }
}
