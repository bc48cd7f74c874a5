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

    private const LIMIT = 'idle_in_transaction_session_timeout';

    public function examine(Facts $facts): iterable
    {
        $server = $facts->get(DatabaseServer::class);
        $long = $server->transactions();
        $isMysql = $server->isMysql();

        if ($long === []) {
            return yield Finding::pass('none has been open for long', OpenTransaction::none($isMysql));
        }

        $end = array_map(static fn (OpenTransaction $one): string => $one->end($isMysql), $long);
        $undo = 'There is no undo for ended transactions: their changes are rolled back.';

        yield Finding::fail(
            sprintf(
                '%d %s been open for up to %.0f seconds.',
                count($long),
                count($long) === 1 ? 'transaction has' : 'transactions have',
                $long[0]->seconds,
            ),
            array_map(
                static fn (OpenTransaction $one): Evidence => $one->evidence($isMysql),
                array_slice($long, 0, self::MAX_SHOWN),
            ),
            $isMysql
                ? new Fix('', [], $end, $undo, 'mysql -e "select * from information_schema.innodb_trx"')
                : $server->systemFix(
                    self::LIMIT,
                    '30s',
                    'select pid, state, xact_start from pg_stat_activity',
                    $end,
                    $undo,
                ),
        )->observed();
    }
}
