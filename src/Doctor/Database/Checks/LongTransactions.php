<?php

declare(strict_types=1);

namespace Headroom\Doctor\Database\Checks;

use Headroom\Doctor\Check;
use Headroom\Doctor\Confidence;
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
    public function examine(Facts $facts): iterable
    {
        $server = $facts->get(DatabaseServer::class);
        $long = $server->transactions();
        $source = $server->isMysql() ? 'information_schema.innodb_trx' : 'pg_stat_activity';

        if ($long === []) {
            return [Finding::pass(
                'none has been open for long',
                new Evidence('open for more than 10 s', '0', $source),
            )];
        }

        return [Finding::fail(
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
                array_slice($long, 0, 5),
            ),
            'Requests that want the same rows wait until it ends, or until their own patience does.',
            $server->isMysql()
                ? new Fix(
                    'Find out who it is, end it, and move what takes long out of DB::transaction().',
                    [],
                    array_map(
                        static fn (OpenTransaction $transaction): string => "mysql -e 'kill {$transaction->id}'",
                        $long,
                    ),
                    'What it had changed is rolled back, for good.',
                    'mysql -e "select * from information_schema.innodb_trx"',
                )
                : new Fix(
                    'Find out who it is, end it, and move what takes long out of DB::transaction().'
                        .' Let the server end those that do nothing.',
                    [],
                    [
                        ...array_map(
                            static fn (OpenTransaction $transaction): string
                                => "psql -c 'select pg_terminate_backend({$transaction->id})'",
                            $long,
                        ),
                        "psql -c \"alter system set idle_in_transaction_session_timeout = '30s'\"",
                        "psql -c 'select pg_reload_conf()'",
                    ],
                    'What it had changed is rolled back, for good. psql -c \'alter system reset'
                        .' idle_in_transaction_session_timeout\'',
                    'psql -c "select pid, state, xact_start from pg_stat_activity"',
                ),
        )->restingOn(Confidence::Observed)];
    }
}
