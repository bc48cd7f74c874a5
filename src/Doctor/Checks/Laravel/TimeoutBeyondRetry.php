<?php

declare(strict_types=1);

namespace Headroom\Doctor\Checks\Laravel;

use Headroom\Doctor\AbsentFact;
use Headroom\Doctor\Check;
use Headroom\Doctor\Confidence;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Facts\Laravel\Application;
use Headroom\Doctor\Facts\Laravel\QueueWorkers;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Layer;
use Headroom\Doctor\Rule;
use Headroom\Doctor\Severity;

/**
 * @internal
 */
final readonly class TimeoutBeyondRetry implements Check
{
    public function rule(): Rule
    {
        return new Rule(
            'L11',
            'A job that takes long is begun a second time while it runs',
            Severity::Critical,
            Layer::Laravel,
            'A job that was reserved and has not ended after `retry_after` seconds is given to the next worker, whatever the first one does. A worker ends a job of its own accord after its `--timeout`. When that is not shorter than retry_after, a slow job runs twice at once: two mails, two payments.',
            'A worker that runs here, or a supervisor of Horizon, has a timeout of at least the retry_after of its connection, or none.',
            ['https://laravel.com/docs/queues#job-expirations-and-timeouts', 'https://github.com/laravel/horizon/issues/205'],
            5,
        );
    }

    public function examine(Facts $facts): array
    {
        $app = $facts->get(Application::class);
        $findings = [];

        foreach ($this->timeouts($app, $facts) as $who => [$connection, $timeout, $confidence]) {
            $key = "queue.connections.{$connection}.retry_after";
            $retry = $app->number($key);

            if ($retry === null) {
                continue;
            }

            $evidence = [new Evidence('timeout', $timeout === 0 ? 'none' : "{$timeout} s", $who), $app->evidence($key)];
            $findings[] = ($timeout > 0 && $timeout < $retry ? Finding::pass('it ends first', ...$evidence) : Finding::fail(
                ($timeout === 0 ? 'Its jobs may take for ever' : "Its jobs may take {$timeout} seconds").", and after {$retry} another worker begins them again.",
                $evidence,
                'Jobs that take long run twice, at the same time.',
                new Fix(sprintf("Let it end some seconds before retry_after: --timeout=%d, or 'timeout' => %d in config/horizon.php. Where jobs need longer, raise retry_after of '%s' in config/queue.php above what they need.", max(1, (int) $retry - 10), max(1, (int) $retry - 10), $connection), [], [...($app->isCached('config') ? ['php artisan config:cache'] : []), 'php artisan queue:restart'], 'Set it back.', 'headroom doctor --only=L11'),
            )->restingOn($confidence))->about($who);
        }

        return $findings;
    }

    /** @return array<string, array{string, int, Confidence}> connection, timeout in seconds and what tells, by who has it */
    private function timeouts(Application $app, Facts $facts): array
    {
        $timeouts = [];
        $default = $app->text('queue.default');

        foreach ($app->keys('horizon.defaults') as $name) {
            foreach (["horizon.environments.{$app->environment}.{$name}", "horizon.defaults.{$name}"] as $key) {
                $timeout ??= $app->number("{$key}.timeout");
            }

            $connection = $app->text("horizon.defaults.{$name}.connection");
            $timeouts["{$name} of config/horizon.php"] = [$connection === '' ? 'redis' : $connection, (int) ($timeout ?? 60), Confidence::Configured];
            unset($timeout);
        }

        try {
            foreach ($facts->get(QueueWorkers::class)->workers as $worker) {
                $connection = $worker->connection ?? $default;
                $timeouts["workers of {$connection} with a timeout of {$worker->timeout}"] = [$connection, $worker->timeout, Confidence::Observed];
            }
        } catch (AbsentFact) {
            // Then the configuration says what is to be said.
        }

        return $timeouts;
    }
}
