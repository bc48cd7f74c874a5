<?php

declare(strict_types=1);

namespace Headroom\Doctor\Laravel\Queue\Checks;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Application\QueueWorker;
use Headroom\Doctor\Application\QueueWorkers;
use Headroom\Doctor\Check;
use Headroom\Doctor\CheckText;
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
        $own = count(array_filter($workers, static fn (QueueWorker $one): bool => $one->isOf($app->basePath) === true));
        $store = $app->text('cache.default');
        $driver = $app->text("cache.stores.{$store}.driver");
        $evidence = [
            new Evidence('queue workers of this application', (string) $own, '/proc'),
            $app->evidence('cache.default'),
            $app->evidence("cache.stores.{$store}.driver"),
        ];

        yield match (true) {
            $driver !== 'database' => Finding::pass("the cache is {$store}, with the driver {$driver}", ...$evidence),
            $own === 0 => throw self::none($app, $workers),
            default => Finding::warn(
                ($own === 1 ? 'A queue worker runs here, and queries' : "{$own} queue workers run here, and query")
                    .' the SQL server twice before each job.',
                $evidence,
                $app->setting('CACHE_STORE', 'redis')->with(commands: ['artisan queue:restart']),
            )->observed(),
        };
    }

    /** @param list<QueueWorker> $workers */
    private static function none(Application $app, array $workers): FactUnavailable|NotApplicable
    {
        return array_filter($workers, static fn (QueueWorker $one): bool => $one->isOf($app->basePath) === null) === []
            ? NotApplicable::of('no queue worker of this application runs here')
            : FactUnavailable::because(
                'Only root or their own user can see whether the queue workers here belong to this application.',
                'sudo '.CheckText::command('L21'),
            );
    }
}
