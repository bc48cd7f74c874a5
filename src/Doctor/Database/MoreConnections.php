<?php

declare(strict_types=1);

namespace Headroom\Doctor\Database;

use Headroom\Doctor\Fix;

/**
 * How to allow more connections: by the limit of the application's account, or by that of the server.
 *
 * @internal
 */
final readonly class MoreConnections
{
    private const ADD_UP = 'Add up the PHP processes of all machines, queue workers and the scheduler.';

    public static function fix(DatabaseServer $server, ConnectionBudget $budget, bool $isServerFull): Fix
    {
        // More connections of the server do not help an account with a limit of its own.
        return $budget->bound === null || $isServerFull
            ? self::ofServer($server, $budget)
            : self::ofAccount($budget->bound, $budget->sum + 2 * ConnectionBudget::RESERVE);
    }

    private static function ofAccount(string $limit, int $more): Fix
    {
        $how = match ($limit) {
            'rolconnlimit' => "alter role ... connection limit {$more}",
            'datconnlimit' => "alter database ... connection limit {$more}",
            default => "alter user ... with max_user_connections {$more}, or set global max_user_connections = {$more}"
                .' if all accounts have it',
        };

        return new Fix(
            "Raise {$limit}, the limit of the application's account: {$how}. max_connections must be above it. Or lower"
                .' pm.max_children.',
            rollback: 'Set the limit as it was.',
        );
    }

    private static function ofServer(DatabaseServer $server, ConnectionBudget $budget): Fix
    {
        $most = (int) $server->variable('max_connections');
        $more = max(2 * $most, $budget->sum + 2 * ConnectionBudget::RESERVE + $most - $budget->most);

        return $server->isMysql() ? $server->fix(
            self::ADD_UP.' If you want them all, let the server accept them; otherwise lower pm.max_children.',
            'max_connections',
            $more,
            $most,
            "mysql -e \"show global status like 'Max_used_connections'\"",
        ) : new Fix(
            self::ADD_UP.' A pooler such as PgBouncer serves more clients than the server has connections.',
            commands: ["psql -c 'alter system set max_connections = {$more}'", 'sudo systemctl restart postgresql'],
            rollback: "Run: psql -c 'alter system reset max_connections', and restart PostgreSQL.",
            verify: "psql -c 'select count(*) from pg_stat_activity'",
        );
    }
}
