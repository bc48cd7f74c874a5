<?php

declare(strict_types=1);

namespace Headroom\Doctor\Laravel\Queue\Checks;

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
    /** The versions that have SKIP LOCKED. */
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
        $name = $server->engine->value;
        $since = self::SINCE[$name];
        $evidence = [new Evidence($name, $server->version, 'select version()'), $app->evidence('queue.default')];

        return [$server->isAtLeast($since)
            ? Finding::pass('workers do not wait for each other', ...$evidence)
            : Finding::fail(
                "{$name} {$server->version} does not skip locked rows.",
                $evidence,
                new Fix("Queue in Redis, or upgrade {$name} to {$since} or later."),
            )];
    }
}
