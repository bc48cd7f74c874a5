<?php

declare(strict_types=1);

namespace Headroom\Doctor\Checks\Database;

use Headroom\Doctor\AbsentFact;
use Headroom\Doctor\Check;
use Headroom\Doctor\Confidence;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Facts\Database\DatabaseServer;
use Headroom\Doctor\Facts\Fpm\FpmPool;
use Headroom\Doctor\Facts\Fpm\FpmPools;
use Headroom\Doctor\Facts\Laravel\QueueWorkers;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Layer;
use Headroom\Doctor\Rule;
use Headroom\Doctor\Severity;
use Headroom\Doctor\UnknownFact;

/**
 * @internal
 */
final readonly class ConnectionLimit implements Check
{
    private const FULL = 0.85;

    /** For who looks after it, and for the scheduler. */
    private const RESERVE = 5;

    private const CONSEQUENCE = 'Requests fail with "too many connections", first of all those that come while the most are being served.';

    public function rule(): Rule
    {
        return new Rule(
            'D1',
            'The SQL server is about to turn connections away',
            Severity::Critical,
            Layer::Database,
            'Each PHP process that is at work holds a connection, and so does each queue worker and each command of the scheduler. When all of max_connections are taken, the next one fails at once, and a pool of PHP processes that was made larger is what takes them.',
            'It has turned connections away since it started, more than 85 % of max_connections were in use at once, or the PHP processes and queue workers of this machine alone may open more than it takes.',
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

        $unknown = null;
        $wanted = $this->wanted($facts, $unknown);
        $evidence = [...$evidence, ...$wanted];
        $sum = array_sum(array_map(static fn (Evidence $each): int => (int) $each->value, $wanted));
        $isEnough = $sum <= $most - self::RESERVE;

        if ($refused <= 0.0 && $used <= self::FULL * $most && $isEnough) {
            // What is not known may be too many.
            $unknown === null || throw $unknown;

            return [Finding::pass('there is room', ...$evidence)];
        }

        $more = (int) max(2 * $most, $sum + 2 * self::RESERVE);

        if ($refused <= 0.0 && $used <= self::FULL * $most) {
            return [Finding::warn("PHP processes and workers of this machine may open {$sum} connections, and the server takes ".(int) $most.'.', $evidence, self::CONSEQUENCE, $this->fix($server, (int) $most, $more))];
        }

        return [Finding::fail(
            $refused > 0.0 ? sprintf('It has turned away %d connections since it started.', $refused) : sprintf('%d of %d connections were in use at once.', $used, $most),
            $evidence,
            self::CONSEQUENCE,
            $this->fix($server, (int) $most, $more),
        )->restingOn(Confidence::Observed)];
    }

    private function fix(DatabaseServer $server, int $most, int $more): Fix
    {
        return $server->isMysql()
            ? new Fix('Sum up PHP processes of all machines, queue workers and scheduler. If that is what is meant, let the server take them; else lower pm.max_children.', [], ["mysql -e 'set global max_connections = {$more}'", "mysql -e 'flush status'"], 'mysql -e "set global max_connections = '.$most.'"; and what my.cnf says holds after a restart.', "mysql -e \"show global status like 'Max_used_connections'\"")
            : new Fix('Sum up PHP processes of all machines, queue workers and scheduler. A pooler such as PgBouncer serves more clients than the server has connections.', [], ["psql -c 'alter system set max_connections = {$more}'", 'sudo systemctl restart postgresql'], "psql -c 'alter system reset max_connections', and restart it.", "psql -c 'select count(*) from pg_stat_activity'");
    }

    /** @return list<Evidence> how many connections there may be at once, from this machine, as far as it is known */
    private function wanted(Facts $facts, ?UnknownFact &$unknown): array
    {
        $wanted = [];

        foreach ([
            static fn (): array => array_map(static fn (FpmPool $pool): Evidence => new Evidence("processes of the pool {$pool->name()}", (string) $pool->integer('pm.max_children'), $pool->evidence('pm.max_children')->source), $facts->get(FpmPools::class)->pools),
            static fn (): array => [new Evidence('queue workers', (string) count($facts->get(QueueWorkers::class)->workers), '/proc')],
        ] as $asked) {
            try {
                array_push($wanted, ...$asked());
            } catch (UnknownFact $e) {
                // What the server has counted is told all the same.
                $unknown = $e;
            } catch (AbsentFact) {
                // None of them opens a connection.
            }
        }

        return $wanted;
    }
}
