<?php

declare(strict_types=1);

namespace Headroom\Doctor\Database\Checks;

use Headroom\Doctor\Check;
use Headroom\Doctor\Confidence;
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

        return [
            $busy <= self::SHARE * $processes
                ? Finding::pass('they are not, while the doctor looked', ...$evidence)
                : Finding::warn(
                    sprintf(
                        '%.0f new connections per second take %.1f ms each: %.1f of %d processes do nothing else.',
                        $perSecond,
                        1e3 * $window->connect,
                        $busy,
                        $processes,
                    ),
                    $evidence,
                    'Requests take longer, and fewer of them are served by as many processes.',
                    new Fix(
                        'On the same machine: connect by a Unix socket (DB_SOCKET). Else put a pooler beside PHP, '
                        .'such as ProxySQL, MaxScale or PgBouncer, which keeps connections without what '
                        .'persistent ones of '
                        .'PDO risk (check D3), or leave the connection out. '
                        .BufferAdvice::insteadOfInserts(),
                        [],
                        [],
                        'Nothing was changed.',
                    ),
                )->restingOn(Confidence::Observed),
        ];
    }
}
