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
    private const POSTGRES = 'log_min_duration_statement';

    public function examine(Facts $facts): iterable
    {
        $server = $facts->get(DatabaseServer::class);

        yield $server->isMysql() ? self::ofMysql($server) : self::ofPostgres($server);
    }

    private static function ofPostgres(DatabaseServer $server): Finding
    {
        $evidence = $server->variableEvidence(self::POSTGRES);

        return $server->variable(self::POSTGRES) !== '-1'
            ? Finding::pass('slow queries are logged', $evidence)
            : Finding::warn(
                'No query is logged, however slow.',
                [$evidence],
                $server->systemFix(self::POSTGRES, '200ms', 'show '.self::POSTGRES),
            );
    }

    private static function ofMysql(DatabaseServer $server): Finding
    {
        $evidence = [$server->variableEvidence('slow_query_log'), $server->variableEvidence('long_query_time')];
        $isOn = strtoupper($server->variable('slow_query_log')) === 'ON';
        $seconds = $server->variable('long_query_time');

        return $isOn && (float) $seconds <= 1.0
            ? Finding::pass('slow queries are logged', ...$evidence)
            : Finding::warn(
                $isOn
                    ? "Only queries of more than {$seconds} seconds are logged."
                    : 'No query is logged, however slow.',
                $evidence,
                new Fix(
                    commands: [
                        "mysql -e 'set global slow_query_log = 1'", "mysql -e 'set global long_query_time = 0.2'",
                    ],
                    rollback: "Run: mysql -e 'set global slow_query_log = ".($isOn ? '1' : '0')
                        .", global long_query_time = {$seconds}'",
                    verify: "mysql -e \"show variables like 'slow_query_log_file'\"",
                ),
            );
    }
}
