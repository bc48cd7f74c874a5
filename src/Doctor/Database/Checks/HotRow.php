<?php

declare(strict_types=1);

namespace Headroom\Doctor\Database\Checks;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Check;
use Headroom\Doctor\Database\BufferAdvice;
use Headroom\Doctor\Database\DatabaseServer;
use Headroom\Doctor\Database\DatabaseWindow;
use Headroom\Doctor\Database\RowLockWait;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;

/**
 * @internal
 */
final readonly class HotRow implements Check
{
    private const COUNTER = 'innodb_row_lock_waits';

    public function examine(Facts $facts): iterable
    {
        $window = $facts->get(DatabaseWindow::class);
        $server = $facts->get(DatabaseServer::class);
        $counted = $server->isMysql() ? [$window->shown(self::COUNTER)] : [];

        // If no transaction has waited, none needs to be seen.
        if ($window->waitsUnseen !== null && ($counted === [] || $window->rise(self::COUNTER) > 0.0)) {
            throw $window->waitsUnseen;
        }

        $findings = [];

        foreach ($window->waits as $table => $wait) {
            if (2 * $wait->looks >= $window->looks) {
                $findings[] = self::ofTable("{$table}", $wait, $window, $counted, $facts);
            }
        }

        return $findings === []
            ? [Finding::pass('no transaction waited for long during the observation', ...$counted)]
            : $findings;
    }

    /** @param list<Evidence> $counted */
    private static function ofTable(
        string $table,
        RowLockWait $wait,
        DatabaseWindow $window,
        array $counted,
        Facts $facts,
    ): Finding {
        $isMysql = $facts->get(DatabaseServer::class)->isMysql();

        return Finding::fail(
            "In {$wait->looks} of {$window->looks} samples transactions waited for rows of {$table}, up to"
                ." {$wait->most} at once.",
            [
                new Evidence(
                    "waiting for rows of {$table}",
                    "up to {$wait->most}, in {$wait->looks} of {$window->looks} samples",
                    $isMysql ? 'the lock waits of InnoDB' : 'pg_locks',
                ),
                ...$counted,
                $window->trip(),
            ],
            'Requests run one after the other, with any number of processes and CPUs.',
            new Fix(
                BufferAdvice::insteadOfCounting($table, self::database($facts))
                    .' Move statements that must stay in the transaction to its end, so that the lock is held for one'
                    .' round trip.',
                verify: $isMysql
                    ? "mysql -e \"show global status like 'Innodb_row_lock%'\""
                    : 'psql -c "select locktype, count(*) from pg_locks where not granted group by 1"',
            ),
        )->about("table {$table}")->observed();
    }

    /** The application's own database; '' without an application. */
    private static function database(Facts $facts): string
    {
        $app = $facts->find(Application::class);

        return $app?->text("database.connections.{$app->text('database.default')}.database") ?? '';
    }
}
