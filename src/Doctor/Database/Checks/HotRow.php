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
        $isMysql = $facts->get(DatabaseServer::class)->isMysql();
        $counted = $isMysql ? $window->shown(self::COUNTER) : null;

        // If no transaction has waited, none needs to be seen.
        if ($window->waitsUnseen !== null && (! $isMysql || $window->rise(self::COUNTER) > 0.0)) {
            throw $window->waitsUnseen;
        }

        $often = array_filter(
            $window->waits,
            static fn (RowLockWait $wait): bool => 2 * $wait->looks >= $window->looks,
        );

        foreach ($often as $table => $wait) {
            yield self::ofTable("{$table}", $wait, $window, $counted, $facts);
        }

        if ($often === []) {
            yield Finding::pass('no transaction waited for long during the observation', $counted);
        }
    }

    private static function ofTable(
        string $table,
        RowLockWait $wait,
        DatabaseWindow $window,
        ?Evidence $counted,
        Facts $facts,
    ): Finding {
        $seen = "in {$wait->looks} of {$window->looks} samples";
        $source = $counted === null ? 'pg_locks' : 'the lock waits of InnoDB';

        return Finding::fail(
            ucfirst($seen)." transactions waited for rows of {$table}, up to {$wait->most} at once.",
            [
                new Evidence("waiting for rows of {$table}", "up to {$wait->most}, {$seen}", $source),
                $counted,
                $window->trip(),
            ],
            new Fix(
                BufferAdvice::insteadOfCounting($table, Application::database($facts))
                    .' Move statements that must stay in the transaction to its end.',
                verify: $counted === null
                    ? 'psql -c "select locktype, count(*) from pg_locks where not granted group by 1"'
                    : "mysql -e \"show global status like 'Innodb_row_lock%'\"",
            ),
        )->about("table {$table}")->observed();
    }
}
