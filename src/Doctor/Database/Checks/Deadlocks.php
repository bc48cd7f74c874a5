<?php

declare(strict_types=1);

namespace Headroom\Doctor\Database\Checks;

use Headroom\Doctor\Check;
use Headroom\Doctor\Database\BufferAdvice;
use Headroom\Doctor\Database\DatabaseProbe;
use Headroom\Doctor\Database\DatabaseServer;
use Headroom\Doctor\Database\Engine;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;

/**
 * @internal
 */
final readonly class Deadlocks implements Check
{
    public function examine(Facts $facts): iterable
    {
        $server = $facts->get(DatabaseServer::class);
        $counter = match ($server->engine) {
            Engine::Mysql => DatabaseProbe::DEADLOCKS_OF_MYSQL,
            Engine::Mariadb => 'innodb_deadlocks',
            Engine::Postgres => 'deadlocks',
        };

        if ($server->engine === Engine::Mysql && ! $server->has($counter)) {
            return yield Finding::unknown(
                'The user of the application may not see the number of deadlocks of MySQL.',
                "mysql -u root -e \"select count from information_schema.innodb_metrics where name = '{$counter}'\"",
            );
        }

        $count = (int) $server->counter($counter);
        $shown = $server->engine === Engine::Mysql
            ? new Evidence($counter, (string) $count, 'information_schema.innodb_metrics')
            : $server->shown($counter);

        yield $count === 0 ? Finding::pass('there was no deadlock', $shown) : Finding::warn(
            "Deadlocks: {$count}.",
            [$shown],
            new Fix(
                'Let DB::transaction() try again (its second argument), and lock rows in the same order everywhere. '
                    .BufferAdvice::insteadOfCounting(),
                verify: $server->isMysql()
                    ? "mysql -e 'show engine innodb status'"
                    : 'psql -c "select datname, deadlocks from pg_stat_database"',
            ),
        )->observed();
    }
}
