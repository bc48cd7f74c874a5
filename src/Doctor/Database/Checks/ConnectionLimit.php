<?php

declare(strict_types=1);

namespace Headroom\Doctor\Database\Checks;

use Headroom\Doctor\Check;
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
    private const FULL_SHARE = 0.85;

    private const CONSEQUENCE = 'Requests fail with "too many connections", first when most requests are served.';

    public function examine(Facts $facts): iterable
    {
        $server = $facts->get(DatabaseServer::class);
        $most = (float) $server->variable('max_connections');
        $counter = $server->isMysql() ? 'max_used_connections' : 'connections';
        $used = $server->counter($counter);
        $refused = $server->isMysql() ? $server->counter('connection_errors_max_connections') : 0.0;
        $budget = ConnectionBudget::of($facts, $server);
        $evidence = [
            $server->variableEvidence('max_connections'),
            $server->shown($counter),
            ...($server->isMysql() ? [$server->shown('connection_errors_max_connections')] : []),
            ...array_slice($budget->limits, 1),
            ...$budget->wanted,
        ];
        $more = (int) max(2 * $most, $budget->sum + 2 * ConnectionBudget::RESERVE + $most - $budget->most);
        $given = $budget->most === (int) $most ? (string) $budget->most : "{$budget->most}, of {$most}";

        yield match (true) {
            $refused > 0.0 => Finding::fail(
                sprintf('It has refused %d connections since it started.', $refused),
                $evidence,
                self::CONSEQUENCE,
                self::ofServer($server, (int) $most, $more),
            )->observed(),
            $used > self::FULL_SHARE * $most => Finding::fail(
                sprintf('%d of %d connections were in use at once.', $used, $most),
                $evidence,
                self::CONSEQUENCE,
                self::ofServer($server, (int) $most, $more),
            )->observed(),
            ! $budget->isEnough() => Finding::warn(
                "PHP processes and workers of this machine may open {$budget->sum} connections, and the server gives"
                    ." them {$given}.",
                $evidence,
                self::CONSEQUENCE,
                $budget->bound === null ? self::ofServer($server, (int) $most, $more) : self::ofAccount($budget),
            ),
            // Unknown processes may be too many.
            default => $budget->unknown === null
                ? Finding::pass('it has enough connections', ...$evidence)
                : throw $budget->unknown,
        };
    }

    /** More connections of the server do not help an account with a limit of its own. */
    private static function ofAccount(ConnectionBudget $budget): Fix
    {
        $more = $budget->sum + 2 * ConnectionBudget::RESERVE;
        $how = match ($budget->bound) {
            'rolconnlimit' => "alter role ... connection limit {$more}",
            'datconnlimit' => "alter database ... connection limit {$more}",
            default => "alter user ... with max_user_connections {$more}, or set global max_user_connections = {$more}"
                .' if all accounts have it',
        };

        return new Fix(
            "Raise {$budget->bound}, the limit of the application's account: {$how}. max_connections must be above"
                .' it. Or lower pm.max_children.',
            rollback: 'Set the limit as it was.',
        );
    }

    private static function ofServer(DatabaseServer $server, int $most, int $more): Fix
    {
        return $server->isMysql() ? $server->fix(
            'Add up the PHP processes of all machines, queue workers and the scheduler. If you want them all, let the'
                .' server accept them; otherwise lower pm.max_children.',
            'max_connections',
            $more,
            $most,
            "mysql -e \"show global status like 'Max_used_connections'\"",
        ) : new Fix(
            'Add up the PHP processes of all machines, queue workers and the scheduler. A pooler such as PgBouncer'
                .' serves more clients than the server has connections.',
            commands: ["psql -c 'alter system set max_connections = {$more}'", 'sudo systemctl restart postgresql'],
            rollback: "Run: psql -c 'alter system reset max_connections', and restart PostgreSQL.",
            verify: "psql -c 'select count(*) from pg_stat_activity'",
        );
    }
}
