<?php

declare(strict_types=1);

namespace Headroom\Doctor\Laravel\Queue;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Application\QueueWorker;
use Headroom\Doctor\Application\QueueWorkers;
use Headroom\Doctor\Check;
use Headroom\Doctor\Confidence;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\NotApplicable;

/**
 * @internal
 */
final readonly class PollingWorkers implements Check
{
    public function examine(Facts $facts): iterable
    {
        $app = $facts->get(Application::class);
        $workers = $facts->get(QueueWorkers::class)->workers;
        $own = array_values(array_filter(
            $workers,
            static fn (QueueWorker $worker): bool => $worker->isOf($app->basePath) === true,
        ));
        $store = $app->text('cache.default');
        $driver = $app->text("cache.stores.{$store}.driver");
        $evidence = [
            new Evidence('queue workers of this application', (string) count($own), '/proc'),
            $app->evidence('cache.default'),
            $app->evidence("cache.stores.{$store}.driver"),
        ];

        if ($driver !== 'database') {
            return [Finding::pass("the cache is {$store}, by its driver {$driver}", ...$evidence)];
        }

        if ($own === []) {
            $foreign = array_filter(
                $workers,
                static fn (QueueWorker $worker): bool => $worker->isOf($app->basePath) === null,
            );

            throw $foreign === []
                ? NotApplicable::of('no queue worker of this application runs here')
                : FactUnavailable::because(
                    'Whether the queue workers that run here are of this application can only be seen by root or'
                        .' their own user.',
                    "sudo php {$app->basePath}/artisan headroom:doctor --only=L21",
                );
        }

        $fix = $app->setting(
            'CACHE_STORE',
            'redis',
            'Where there is Redis or Memcached, cache there; on one machine without them, CACHE_STORE=file is still'
                .' better for workers.',
            'Set it back.',
        );

        return [Finding::warn(
            count($own) === 1
                ? 'A queue worker runs here, and asks the SQL server twice before each job.'
                : count($own).' queue workers run here, and ask the SQL server twice before each job.',
            $evidence,
            'Jobs take longer, and the SQL server is busy with questions of workers.',
            $fix->with('artisan queue:restart'),
        )->restingOn(Confidence::Observed)];
    }
}
