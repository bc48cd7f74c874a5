<?php

declare(strict_types=1);

namespace Headroom\Doctor\Laravel\Queue;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Check;
use Headroom\Doctor\Database\DatabaseServer;
use Headroom\Doctor\Database\Engine;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;

/**
 * @internal
 */
final readonly class QueueOnOldServer implements Check
{
    /** What knows SKIP LOCKED. */
    private const SINCE = [
        Engine::Mysql->value => '8.0.1',
        Engine::Mariadb->value => '10.6',
        Engine::Postgres->value => '9.5',
    ];

    public function examine(Facts $facts): iterable
    {
        $app = $facts->get(Application::class);

        if ($app->text("queue.connections.{$app->text('queue.default')}.driver") !== 'database') {
            return [Finding::skipped('the queue is not in the SQL server')];
        }

        $server = $facts->get(DatabaseServer::class);
        $version = self::SINCE[$server->engine->value];
        $evidence = [
            new Evidence($server->engine->value, $server->version, 'select version()'),
            $app->evidence('queue.default'),
        ];

        return [
            $server->isAtLeast($version)
                ? Finding::pass('workers do not wait for each other', ...$evidence)
                : Finding::fail(
                    "{$server->engine->value} {$server->version} does not skip locked rows.",
                    $evidence,
                    'Under load workers deadlock, and jobs run twice.',
                    new Fix(
                        "Queue in Redis, or bring {$server->engine->value} to {$version} or later.",
                        [],
                        [],
                        'Nothing was changed.',
                    ),
                ),
        ];
    }
}
