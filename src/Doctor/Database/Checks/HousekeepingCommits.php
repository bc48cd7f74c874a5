<?php

declare(strict_types=1);

namespace Headroom\Doctor\Database\Checks;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Check;
use Headroom\Doctor\Database\DatabaseServer;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;

/**
 * @internal
 */
final readonly class HousekeepingCommits implements Check
{
    public function examine(Facts $facts): iterable
    {
        $app = $facts->get(Application::class);
        $server = $facts->get(DatabaseServer::class);
        $kept = array_keys([
            'sessions' => $app->text('session.driver') === 'database',
            'the cache' => $app->text("cache.stores.{$app->text('cache.default')}.driver") === 'database',
            'the queue' => $app->text("queue.connections.{$app->text('queue.default')}.driver") === 'database',
        ], true, true);
        $name = $server->isMysql() ? 'innodb_flush_log_at_trx_commit' : 'synchronous_commit';
        $evidence = [
            $server->shownVariable($name),
            new Evidence(
                'kept in it',
                $kept === [] ? 'none of sessions, cache and queue' : implode(', ', $kept),
                'the configuration',
            ),
        ];

        if ($kept === [] || in_array($server->variable($name), ['0', '2', 'off'], true)) {
            return [Finding::pass('what is kept there may wait', ...$evidence)];
        }

        return [Finding::warn(
            ucfirst(implode(', ', $kept)).(count($kept) === 1 && $kept[0] !== 'sessions' ? ' is' : ' are')
                ." in {$server->engine->value}, which waits for the disk with each commit.",
            $evidence,
            $kept === ['the queue']
                ? 'A page view that sends a job waits for the disk, and a worker does twice for each job.'
                : 'A page view that changes nothing waits for the disk once or more.',
            new Fix(
                'Move '.implode(' and ', $kept)
                    .' to Redis (checks L7, L8, L9), and leave the setting as it is: it is what keeps orders.',
                [],
                [],
                'Move them back.',
            ),
        )];
    }
}
