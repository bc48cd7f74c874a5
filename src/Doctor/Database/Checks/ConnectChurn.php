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
use Headroom\Doctor\Layer;
use Headroom\Doctor\Rule;
use Headroom\Doctor\Severity;

/**
 * @internal
 */
final readonly class ConnectChurn implements Check
{
    private const SHARE = 0.05;

    public function rule(): Rule
    {
        return new Rule(
            'D2',
            'PHP processes are busy with connecting to the SQL server',
            Severity::Medium,
            Layer::Database,
            'Each request that touches the database makes a connection and closes it at its end.'
                .' That takes several round trips and, with TLS, work for the CPU, before the first query is sent.'
                .' On one machine it is next to nothing; to a server that is some milliseconds away it is what most of'
                .' a short request is made of.',
            'New connections per second times what one takes is more than 5 % of all the processes of PHP-FPM on this'
                .' machine, during the second that the doctor looked. Connections of other clients of the server are'
                .' among them.',
            [
                'https://www.php.net/manual/en/features.persistent-connections.php',
                'https://dev.mysql.com/doc/refman/8.0/en/connection-interfaces.html',
            ],
            60,
        );
    }

    public function examine(Facts $facts): array
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
                        'headroom doctor --only=D2',
                    ),
                )->restingOn(Confidence::Observed),
        ];
    }
}
