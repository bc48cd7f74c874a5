<?php

declare(strict_types=1);

namespace Headroom\Doctor\Checks\Database;

use Headroom\Doctor\Check;
use Headroom\Doctor\Confidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Facts\Database\DatabaseServer;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Layer;
use Headroom\Doctor\Rule;
use Headroom\Doctor\Severity;

/**
 * @internal
 */
final readonly class ConnectionLimit implements Check
{
    private const FULL = 0.85;

    public function rule(): Rule
    {
        return new Rule(
            'D1',
            'The SQL server is about to turn connections away',
            Severity::Critical,
            Layer::Database,
            'Each PHP process that is at work holds a connection, and so does each queue worker and each command of the scheduler. When all of max_connections are taken, the next one fails at once, and a pool of PHP processes that was made larger is what takes them.',
            'It has turned connections away since it started, or more than 85 % of max_connections were in use at once.',
            ['https://dev.mysql.com/doc/refman/8.0/en/too-many-connections.html', 'https://www.postgresql.org/docs/current/runtime-config-connection.html'],
            15,
        );
    }

    public function examine(Facts $facts): array
    {
        $server = $facts->get(DatabaseServer::class);
        $most = (float) $server->variable('max_connections');
        $counter = $server->isMysql() ? 'max_used_connections' : 'connections';
        $used = $server->counter($counter);
        $refused = $server->isMysql() ? $server->counter('connection_errors_max_connections') : 0.0;
        $evidence = [$server->shownVariable('max_connections'), $server->shown($counter), ...($server->isMysql() ? [$server->shown('connection_errors_max_connections')] : [])];

        if ($refused <= 0.0 && $used <= self::FULL * $most) {
            return [Finding::pass('there is room', ...$evidence)];
        }

        $more = (int) (2 * $most);

        return [Finding::fail(
            $refused > 0.0 ? sprintf('It has turned away %d connections since it started.', $refused) : sprintf('%d of %d connections were in use at once.', $used, $most),
            $evidence,
            'Requests fail with "too many connections", first of all those that come while the most are being served.',
            $server->isMysql()
                ? new Fix('Sum up PHP processes of all machines, queue workers and scheduler. If that is what is meant, let the server take them; else lower pm.max_children.', [], ["mysql -e 'set global max_connections = {$more}'", "mysql -e 'flush status'"], 'mysql -e "set global max_connections = '.(int) $most.'"; and what my.cnf says holds after a restart.', "mysql -e \"show global status like 'Max_used_connections'\"")
                : new Fix('Sum up PHP processes of all machines, queue workers and scheduler. A pooler such as PgBouncer serves more clients than the server has connections.', [], ["psql -c 'alter system set max_connections = {$more}'", 'sudo systemctl restart postgresql'], "psql -c 'alter system reset max_connections', and restart it.", "psql -c 'select count(*) from pg_stat_activity'"),
        )->restingOn(Confidence::Observed)];
    }
}
