<?php

declare(strict_types=1);

namespace Headroom\Doctor\Laravel\Queue;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Check;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Laravel\RedisMove;

/**
 * @internal
 */
final readonly class SlowQueueConnection implements Check
{
    private const COSTS = [
        'sync' => 'Jobs run within the request that dispatches them, and the user waits for all of them.',
        'database' => 'Each job is inserted, reserved and deleted in the SQL server, three commits, and each idle'
            .' worker asks it again and again.',
    ];

    public function examine(Facts $facts): iterable
    {
        $app = $facts->get(Application::class);
        $name = $app->text('queue.default');
        $driver = $app->text("queue.connections.{$name}.driver");

        if (! $app->isProduction()) {
            return [Finding::skipped("the environment is {$app->environment}")];
        }

        $evidence = [$app->evidence('queue.default'), $app->evidence("queue.connections.{$name}.driver")];

        if (! isset(self::COSTS[$driver])) {
            return [Finding::pass("jobs go to {$name}", ...$evidence)];
        }

        return [Finding::warn(
            "The default connection of the queue is {$name}, by its driver {$driver}.",
            $evidence,
            self::COSTS[$driver],
            RedisMove::fix(
                $facts,
                $app,
                $app->setting(
                    'QUEUE_CONNECTION',
                    'redis',
                    'Where there is Redis, queue there, and start workers for it before the old queue is empty.',
                    'Set it back, and let workers empty the queue in Redis.',
                ),
                ['queue.default' => 'redis'],
            ),
        )];
    }
}
