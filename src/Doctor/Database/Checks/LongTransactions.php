<?php

declare(strict_types=1);

namespace Headroom\Doctor\Database\Checks;

use Headroom\Doctor\Check;
use Headroom\Doctor\Database\DatabaseServer;
use Headroom\Doctor\Database\OpenTransaction;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;

/**
 * @internal
 */
final readonly class LongTransactions implements Check
{
    private const MAX_SHOWN = 5;

    private const TEXT = 'Find the code that opened it, end it, and move slow work out of DB::transaction().';

    public function examine(Facts $facts): iterable
    {
        $server = $facts->get(DatabaseServer::class);
        $long = $server->transactions();
        $source = $server->isMysql() ? 'information_schema.innodb_trx' : 'pg_stat_activity';

        yield $long === [] ? Finding::pass(
            'none has been open for long',
            new Evidence('open for more than 10 s', '0', $source),
        ) : Finding::fail(
            sprintf(
                '%d transaction%s been open for up to %.0f seconds.',
                count($long),
                count($long) === 1 ? ' has' : 's have',
                $long[0]->seconds,
            ),
            array_map(
                static fn (OpenTransaction $transaction): Evidence => new Evidence(
                    "connection {$transaction->id}",
                    sprintf('%.0f s, %s', $transaction->seconds, $transaction->state),
                    $source,
                ),
                array_slice($long, 0, self::MAX_SHOWN),
            ),
            'Requests for the same rows wait until it ends, or until their lock timeout.',
            $server->isMysql() ? self::ofMysql(...$long) : self::ofPostgres(...$long),
        )->observed();
    }

    private static function ofMysql(OpenTransaction ...$long): Fix
    {
        return new Fix(
            self::TEXT,
            commands: array_map(
                static fn (OpenTransaction $one): string => "mysql -e 'kill {$one->id}'",
                array_values($long),
            ),
            rollback: 'There is no undo: its changes are rolled back.',
            verify: 'mysql -e "select * from information_schema.innodb_trx"',
        );
    }

    private static function ofPostgres(OpenTransaction ...$long): Fix
    {
        return new Fix(
            self::TEXT.' Let the server end transactions that do nothing.',
            commands: [
                ...array_map(
                    static fn (OpenTransaction $one): string => "psql -c 'select pg_terminate_backend({$one->id})'",
                    array_values($long),
                ),
                "psql -c \"alter system set idle_in_transaction_session_timeout = '30s'\"",
                "psql -c 'select pg_reload_conf()'",
            ],
            rollback: 'There is no undo for ended transactions. For the setting, run: psql -c \'alter system reset'
                .' idle_in_transaction_session_timeout\'',
            verify: 'psql -c "select pid, state, xact_start from pg_stat_activity"',
        );
    }
}
