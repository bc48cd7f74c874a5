<?php

declare(strict_types=1);

namespace Headroom\Doctor\Laravel\Queue\Checks;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Application\QueueWorker;
use Headroom\Doctor\Application\QueueWorkers;
use Headroom\Doctor\Check;
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
        $own = array_filter($workers, static fn (QueueWorker $one): bool => $one->isOf($app->basePath) === true);
        $store = $app->text('cache.default');
        $driver = $app->text("cache.stores.{$store}.driver");
        $evidence = [
            new Evidence('queue workers of this application', (string) count($own), '/proc'),
            $app->evidence('cache.default'),
            $app->evidence("cache.stores.{$store}.driver"),
        ];

        return [match (true) {
            $driver !== 'database' => Finding::pass("the cache is {$store}, with the driver {$driver}", ...$evidence),
            $own === [] => throw self::none($app, $workers),
            default => self::found($app, count($own), $evidence),
        }];
    }

    /** @param list<QueueWorker> $workers */
    private static function none(Application $app, array $workers): FactUnavailable|NotApplicable
    {
        return array_filter($workers, static fn (QueueWorker $one): bool => $one->isOf($app->basePath) === null) === []
            ? NotApplicable::of('no queue worker of this application runs here')
            : FactUnavailable::because(
                'Only root or their own user can see whether the queue workers here belong to this application.',
                "sudo php {$app->basePath}/artisan headroom:doctor --only=L21",
            );
    }

    /** @param list<Evidence> $evidence */
    private static function found(Application $app, int $workers, array $evidence): Finding
    {
        $fix = $app->setting(
            'CACHE_STORE',
            'redis',
            'If you have Redis or Memcached, cache there. On one machine without them, CACHE_STORE=file is still better'
                .' for workers.',
        );

        return Finding::warn(
            $workers === 1
                ? 'A queue worker runs here, and queries the SQL server twice before each job.'
                : "{$workers} queue workers run here, and query the SQL server twice before each job.",
            $evidence,
            'Jobs take longer, and the SQL server is busy with queries of workers.',
            $fix->with('artisan queue:restart'),
        )->observed();
    }
}
