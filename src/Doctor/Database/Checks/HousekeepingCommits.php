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
    /** Values with which a commit does not wait for the disk. */
    private const NO_WAIT = ['0', '2', 'off'];

    public function examine(Facts $facts): iterable
    {
        $app = $facts->get(Application::class);
        $server = $facts->get(DatabaseServer::class);
        $stored = array_keys([
            'sessions' => $app->text('session.driver') === 'database',
            'the cache' => $app->text("cache.stores.{$app->text('cache.default')}.driver") === 'database',
            'the queue' => $app->text("queue.connections.{$app->text('queue.default')}.driver") === 'database',
        ], true, true);
        $setting = $server->isMysql() ? 'innodb_flush_log_at_trx_commit' : 'synchronous_commit';
        $evidence = [
            $server->variableEvidence($setting),
            new Evidence(
                'stored in it',
                $stored === [] ? 'none of sessions, cache and queue' : implode(', ', $stored),
                'the configuration',
            ),
        ];

        yield $stored === [] || in_array($server->variable($setting), self::NO_WAIT, true)
            ? Finding::pass('no commit of sessions, cache or queue waits for the disk', ...$evidence)
            : Finding::warn(
                ucfirst(implode(', ', $stored)).(count($stored) === 1 && $stored[0] !== 'sessions' ? ' is' : ' are')
                    ." in {$server->engine->value}, which waits for the disk with each commit.",
                $evidence,
                $stored === ['the queue']
                    ? 'A page view that dispatches a job waits for the disk, and a worker waits twice for each job.'
                    : 'A page view that changes nothing waits for the disk once or more.',
                new Fix(
                    'Move '.implode(' and ', $stored)
                        .' to Redis (checks L7, L8, L9), and leave the setting as it is: orders need it.',
                    rollback: 'Move them back.',
                ),
            );
    }
}
