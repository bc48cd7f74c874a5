<?php

declare(strict_types=1);

namespace Headroom\Doctor\Database\Checks;

use Headroom\Doctor\Check;
use Headroom\Doctor\Confidence;
use Headroom\Doctor\Database\ConnectionBudget;
use Headroom\Doctor\Database\DatabaseServer;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;

/**
 * @internal
 */
final readonly class ConnectionLimit implements Check
{
    private const FULL = 0.85;

    private const CONSEQUENCE =
        'Requests fail with "too many connections", first of all those that come while the most are being served.';

    public function examine(Facts $facts): iterable
    {
        $server = $facts->get(DatabaseServer::class);
        $most = (float) $server->variable('max_connections');
        $counter = $server->isMysql() ? 'max_used_connections' : 'connections';
        $used = $server->counter($counter);
        $refused = $server->isMysql() ? $server->counter('connection_errors_max_connections') : 0.0;
        $evidence = [
            $server->shownVariable('max_connections'),
            $server->shown($counter),
            ...($server->isMysql() ? [$server->shown('connection_errors_max_connections')] : []),
        ];

        $budget = ConnectionBudget::of($facts, $server);
        $evidence = [...$evidence, ...array_slice($budget->limits, 1), ...$budget->wanted];

        if ($refused <= 0.0 && $used <= self::FULL * $most && $budget->isEnough()) {
            // What is not known may be too many.
            return $budget->unknown === null ? [Finding::pass('there is room', ...$evidence)] : throw $budget->unknown;
        }

        $more = (int) max(2 * $most, $budget->sum + 2 * ConnectionBudget::RESERVE + $most - $budget->most);

        if ($refused <= 0.0 && $used <= self::FULL * $most) {
            $given = $budget->most === (int) $most ? (string) $budget->most : "{$budget->most}, of {$most}";

            return [Finding::warn(
                "PHP processes and workers of this machine may open {$budget->sum} connections, and the "
                    ."server gives them {$given}.",
                $evidence,
                self::CONSEQUENCE,
                $budget->bound === null ? $this->fix($server, (int) $most, $more) : $this->ofAccount($budget),
            )];
        }

        return [Finding::fail(
            $refused > 0.0
                ? sprintf('It has turned away %d connections since it started.', $refused)
                : sprintf('%d of %d connections were in use at once.', $used, $most),
            $evidence,
            self::CONSEQUENCE,
            $this->fix($server, (int) $most, $more),
        )->restingOn(Confidence::Observed)];
    }

    /** More connections of the server do not help an account that may not have them. */
    private function ofAccount(ConnectionBudget $budget): Fix
    {
        $more = $budget->sum + 2 * ConnectionBudget::RESERVE;
        $how = match ($budget->bound) {
            'rolconnlimit' => "alter role ... connection limit {$more}",
            'datconnlimit' => "alter database ... connection limit {$more}",
            default => "alter user ... with max_user_connections {$more}, or set global "
                ."max_user_connections = {$more} where all accounts have it",
        };

        return new Fix(
            "Raise {$budget->bound}, which bounds the account of the application: {$how}. max_connections "
                .'has to be above it. Else lower pm.max_children.',
            [],
            [],
            'Set it back.',
        );
    }

    private function fix(DatabaseServer $server, int $most, int $more): Fix
    {
        return $server->isMysql()
            ? new Fix(
                'Sum up PHP processes of all machines, queue workers and scheduler. If that is what is meant,'
                    .' let the server take them; else lower pm.max_children.',
                $server->keep('max_connections', $more),
                [...$server->set('max_connections', $more), "mysql -e 'flush status'"],
                $server->back('max_connections', $most),
                "mysql -e \"show global status like 'Max_used_connections'\"",
            )
            : new Fix(
                'Sum up PHP processes of all machines, queue workers and scheduler. A pooler such as PgBouncer serves'
                    .' more clients than the server has connections.',
                [],
                ["psql -c 'alter system set max_connections = {$more}'", 'sudo systemctl restart postgresql'],
                "psql -c 'alter system reset max_connections', and restart it.",
                "psql -c 'select count(*) from pg_stat_activity'",
            );
    }
}
