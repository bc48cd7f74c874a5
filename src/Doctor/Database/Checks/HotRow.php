<?php

declare(strict_types=1);

namespace Headroom\Doctor\Database\Checks;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Check;
use Headroom\Doctor\Confidence;
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

        // Nobody has waited, so nobody needs to be seen.
        if ($window->waitsUnseen !== null && ($counted === [] || $window->rise(self::COUNTER) > 0.0)) {
            throw $window->waitsUnseen;
        }

        $hot = array_filter($window->waits, static fn (RowLockWait $wait): bool => 2 * $wait->looks >= $window->looks);
        $findings = [];

        foreach ($hot as $table => $wait) {
            $findings[] = Finding::fail(
                "In {$wait->looks} of {$window->looks} looks transactions waited for rows of {$table},"
                    ." up to {$wait->most} at once.",
                [
                    new Evidence(
                        "waiting for rows of {$table}",
                        "up to {$wait->most}, in {$wait->looks} of {$window->looks} looks",
                        $server->isMysql() ? 'the lock waits of InnoDB' : 'pg_locks',
                    ),
                    ...$counted,
                    $window->trip(),
                ],
                'Requests go one after the other, whatever the number of processes and CPUs.',
                new Fix(
                    BufferAdvice::insteadOfCounting("{$table}", self::database($facts))
                    .' What has to stay in the transaction goes to its very end, '
                    .'so that the lock is held for one round trip.',
                    [],
                    [],
                    'Nothing was changed.',
                    $server->isMysql()
                        ? "mysql -e \"show global status like 'Innodb_row_lock%'\""
                        : 'psql -c "select locktype, count(*) from pg_locks where not granted group by 1"',
                ),
            )->about("table {$table}")->restingOn(Confidence::Observed);
        }

        return $findings === []
            ? [Finding::pass('nobody waited for long while the doctor looked', ...$counted)]
            : $findings;
    }

    /** That the application has as its own; '' where no application is known. */
    private static function database(Facts $facts): string
    {
        $app = $facts->find(Application::class);

        return $app?->text("database.connections.{$app->text('database.default')}.database") ?? '';
    }
}
