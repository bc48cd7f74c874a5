<?php

declare(strict_types=1);

namespace Headroom\Doctor\Database\Checks;

use Headroom\Doctor\Check;
use Headroom\Doctor\Database\DatabaseServer;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;

/**
 * @internal
 */
final readonly class SlowQueriesUnseen implements Check
{
    public function examine(Facts $facts): iterable
    {
        $server = $facts->get(DatabaseServer::class);

        if (! $server->isMysql()) {
            $evidence = $server->shownVariable('log_min_duration_statement');

            return [
                $server->variable('log_min_duration_statement') !== '-1'
                    ? Finding::pass('they are written down', $evidence)
                    : Finding::warn(
                        'No query is written down, however long it takes.',
                        [$evidence],
                        'The query that requests wait for stays unknown.',
                        new Fix(
                            'Write down what takes more than 200 ms, at least for a test.',
                            [],
                            [
                                "psql -c \"alter system set log_min_duration_statement = '200ms'\"",
                                "psql -c 'select pg_reload_conf()'",
                            ],
                            "psql -c 'alter system reset log_min_duration_statement' -c 'select pg_reload_conf()'",
                            "psql -c 'show log_min_duration_statement'",
                        ),
                    ),
            ];
        }

        $evidence = [$server->shownVariable('slow_query_log'), $server->shownVariable('long_query_time')];
        $isOn = strtoupper($server->variable('slow_query_log')) === 'ON';

        return [
            $isOn && (float) $server->variable('long_query_time') <= 1.0
                ? Finding::pass('they are written down', ...$evidence)
                : Finding::warn(
                    $isOn
                        ? "Only queries of more than {$server->variable('long_query_time')} seconds are written down."
                        : 'No query is written down, however long it takes.',
                    $evidence,
                    'The query that requests wait for stays unknown.',
                    new Fix(
                        'Write down what takes more than 0.2 seconds, at least for a test.'
                            .' New connections see the new time.',
                        [],
                        ["mysql -e 'set global slow_query_log = 1'", "mysql -e 'set global long_query_time = 0.2'"],
                        "mysql -e 'set global slow_query_log = ".($isOn ? '1' : '0')
                            .", global long_query_time = {$server->variable('long_query_time')}'",
                        "mysql -e \"show variables like 'slow_query_log_file'\"",
                    ),
                ),
        ];
    }
}
