<?php

declare(strict_types=1);

namespace Headroom\Doctor\Checks\Database;

use Headroom\Doctor\Check;
use Headroom\Doctor\Confidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Facts\Database\DatabaseServer;
use Headroom\Doctor\Facts\Database\Engine;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Layer;
use Headroom\Doctor\Rule;
use Headroom\Doctor\Severity;

/**
 * @internal
 */
final readonly class Deadlocks implements Check
{
    public function rule(): Rule
    {
        return new Rule(
            'D6',
            'Transactions lock each other out',
            Severity::Medium,
            Layer::Database,
            'Two transactions that want each other\'s rows can not both go on: the server ends one, and its request fails unless it tries again. A queue in an old server, counters that every request updates, and rows that are locked in different orders are the usual causes.',
            'The server has counted deadlocks: MariaDB since it started, PostgreSQL since its counters were reset. MySQL does not count them.',
            ['https://dev.mysql.com/doc/refman/8.0/en/innodb-deadlocks.html', 'https://www.postgresql.org/docs/current/monitoring-stats.html'],
            60,
        );
    }

    public function examine(Facts $facts): array
    {
        $server = $facts->get(DatabaseServer::class);

        if ($server->engine === Engine::Mysql) {
            return [Finding::unknown('MySQL does not count deadlocks; it remembers the last one.', "mysql -e 'show engine innodb status' | grep -A30 'LATEST DETECTED DEADLOCK'")];
        }

        $counter = $server->engine === Engine::Mariadb ? 'innodb_deadlocks' : 'deadlocks';
        $count = $server->counter($counter);

        return [$count <= 0.0 ? Finding::pass('there was none', $server->shown($counter)) : Finding::warn(
            'Deadlocks: '.(int) $count.'.',
            [$server->shown($counter)],
            'Requests and jobs fail now and then, more of them under load.',
            new Fix('Let DB::transaction() try again (its second argument), touch rows in one order everywhere, and take counters out of requests: a buffer with `aggregate` adds them up in batches.', [], [], 'Nothing was changed.', $server->isMysql() ? "mysql -e 'show engine innodb status'" : 'psql -c "select datname, deadlocks from pg_stat_database"'),
        )->restingOn(Confidence::Observed)];
    }
}
