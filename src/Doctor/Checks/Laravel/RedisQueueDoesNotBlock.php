<?php

declare(strict_types=1);

namespace Headroom\Doctor\Checks\Laravel;

use Headroom\Doctor\Check;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Facts\Laravel\Application;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Layer;
use Headroom\Doctor\Rule;
use Headroom\Doctor\Severity;

/**
 * @internal
 */
final readonly class RedisQueueDoesNotBlock implements Check
{
    public function rule(): Rule
    {
        return new Rule(
            'L12',
            'Idle workers ask Redis again and again, or can not be stopped',
            Severity::Medium,
            Layer::Laravel,
            'Without `block_for` an idle worker asks, sleeps, and asks again: jobs wait for its sleep, three seconds by default, and every worker is load on Redis while there is nothing to do. With 0 it blocks for ever, and a SIGTERM is seen only after the next job.',
            'The default connection of the queue is Redis, and its block_for is null or 0.',
            ['https://laravel.com/docs/queues#redis'],
            2,
        );
    }

    public function examine(Facts $facts): array
    {
        $app = $facts->get(Application::class);
        $name = $app->text('queue.default');
        $key = "queue.connections.{$name}.block_for";

        if ($app->text("queue.connections.{$name}.driver") !== 'redis') {
            return [Finding::skipped('the queue is not in Redis')];
        }

        $seconds = $app->number($key);

        return [$seconds !== null && $seconds > 0.0 ? Finding::pass('workers wait in Redis', $app->evidence($key)) : Finding::warn(
            $seconds === null ? "Workers of '{$name}' do not wait in Redis: block_for is not set." : "Workers of '{$name}' wait in Redis for ever: block_for is 0.",
            [$app->evidence($key)],
            $seconds === null ? 'A job waits for up to the sleep of a worker before it begins.' : 'A deploy waits for workers that do not hear it.',
            new Fix("Set 'block_for' => 5 of the connection '{$name}' in {$app->file('queue')}. The read_timeout of its connection to Redis has to be longer.", [], [...($app->isCached('config') ? ['php artisan config:cache'] : []), 'php artisan queue:restart'], 'Set it back.', 'headroom doctor --only=L12'),
        )];
    }
}
