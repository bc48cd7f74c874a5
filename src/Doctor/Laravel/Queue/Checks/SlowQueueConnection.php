<?php

declare(strict_types=1);

namespace Headroom\Doctor\Laravel\Queue\Checks;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Check;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Laravel\MoveToRedis;

/**
 * @internal
 */
final readonly class SlowQueueConnection implements Check
{
    private const COSTS = [
        'sync' => 'Jobs run within the request that dispatches them, and the user waits for all of them.',
        'database' => 'Each job is inserted, reserved and deleted in the SQL server, with three commits, and each idle'
            .' worker polls it.',
    ];

    public function examine(Facts $facts): iterable
    {
        $app = $facts->get(Application::class)->inProduction();
        $name = $app->text('queue.default');
        $driver = $app->text("queue.connections.{$name}.driver");
        $evidence = [$app->evidence('queue.default'), $app->evidence("queue.connections.{$name}.driver")];

        return [isset(self::COSTS[$driver]) ? Finding::warn(
            "The default queue connection is {$name}, with the driver {$driver}.",
            $evidence,
            MoveToRedis::fix($facts, $app, $app->setting(
                'QUEUE_CONNECTION',
                'redis',
                'If you have Redis, start workers for it, queue there, and keep the old workers until their queue is'
                    .' empty.',
                'Set it back, and let workers empty the queue in Redis.',
            ), ['queue.default' => 'redis']),
            self::COSTS[$driver],
        ) : Finding::pass("jobs go to {$name}", ...$evidence)];
    }
}
