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
        $setting = $server->isMysql() ? 'innodb_flush_log_at_trx_commit' : 'synchronous_commit';
        $stored = implode(' and ', array_keys([
            'sessions' => $app->text('session.driver') === 'database',
            'the cache' => $app->text("cache.stores.{$app->text('cache.default')}.driver") === 'database',
            'the queue' => $app->text("queue.connections.{$app->text('queue.default')}.driver") === 'database',
        ], true, true));
        $evidence = [
            $server->variableEvidence($setting),
            new Evidence(
                'stored in it',
                $stored === '' ? 'none of sessions, cache and queue' : $stored,
                'the configuration',
            ),
        ];

        yield $stored === '' || in_array($server->variable($setting), self::NO_WAIT, true)
            ? Finding::pass('no commit of sessions, cache or queue waits for the disk', ...$evidence)
            : Finding::warn(
                "{$server->engine->value} stores {$stored}, and waits for the disk with each commit.",
                $evidence,
                new Fix(rollback: 'Move them back.'),
            );
    }
}
