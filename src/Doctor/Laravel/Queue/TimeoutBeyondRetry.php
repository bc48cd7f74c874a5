<?php

declare(strict_types=1);

namespace Headroom\Doctor\Laravel\Queue;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Check;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;

/**
 * @internal
 */
final readonly class TimeoutBeyondRetry implements Check
{
    /** The default of Laravel's connectors. */
    private const DEFAULT = 60;

    /** Seconds between the longest limit and retry_after. */
    private const LONGER = 30;

    public function examine(Facts $facts): iterable
    {
        $app = $facts->get(Application::class);
        $timeouts = new JobTimeouts($app, $facts);
        $findings = [];

        foreach ($timeouts->all() as $timeout) {
            $driver = $app->text("queue.connections.{$timeout->connection}.driver");

            if ($driver === 'sqs' && $timeout->connection === $app->text('queue.default')) {
                $findings[] = $this->ofSqs($app, $timeout);

                continue;
            }

            $key = "queue.connections.{$timeout->connection}.retry_after";
            $retry = $app->number($key) ?? (
                in_array($driver, JobTimeouts::DRIVERS, true) ? (float) self::DEFAULT : null
            );

            if ($retry !== null) {
                $findings[] = $this->compared(
                    $app,
                    $timeout,
                    $retry,
                    $timeouts->longest($timeout->connection) ?? 0,
                )->about($timeout->who);
            }
        }

        return $findings;
    }

    private function compared(Application $app, JobTimeout $timeout, float $retry, int $longest): Finding
    {
        $key = "queue.connections.{$timeout->connection}.retry_after";
        $evidence = [
            $timeout->evidence,
            $app->number($key) === null ? new Evidence(
                $key,
                self::DEFAULT.' s',
                'default of Laravel',
            ) : $app->evidence($key),
        ];

        if ($timeout->seconds > 0 && $timeout->seconds < $retry) {
            return Finding::pass('a job ends before retry_after', ...$evidence)->withConfidence($timeout->confidence);
        }

        $words = [
            (
                $timeout->seconds === 0
                    ? 'Its jobs have no time limit'
                    : "Its jobs may take {$timeout->seconds} seconds"
            ).", and after {$retry} another worker starts them again.",
            $evidence,
            'Slow jobs run twice at the same time.',
            $this->fix($app, $timeout, (int) $retry, $longest),
        ];

        return (
            $timeout->isGuess ? Finding::warn(...$words) : Finding::fail(...$words)
        )->withConfidence($timeout->confidence);
    }

    /**
     * Horizon's own limit is lowered. A limit of a command line or of a class is taken as intended, and retry_after is
     * raised above all of them.
     */
    private function fix(Application $app, JobTimeout $timeout, int $retry, int $longest): Fix
    {
        $end = max(1, $retry - 10);
        $isHorizon = $timeout->key !== null || str_ends_with($timeout->who, ' of config/horizon.php');
        $beyond = $longest + self::LONGER;
        $settings = match (true) {
            $timeout->key !== null => [$timeout->key => (string) $end],
            $isHorizon || $timeout->seconds === 0 || $longest === 0 => [],
            default => ["queue.connections.{$timeout->connection}.retry_after" => (string) $beyond],
        };
        $ends = "End jobs some seconds before retry_after: --timeout={$end}, or 'timeout' => {$end} in "
            .'config/horizon.php or of the class.';
        $raises = $longest === 0
            ? "If jobs need longer, raise retry_after of '{$timeout->connection}' in config/queue.php "
                .'above the time that they need.'
            : "If jobs need as long, set 'retry_after' => {$beyond} of '{$timeout->connection}' in "
                .'config/queue.php instead.';

        return new Fix(
            "{$ends} {$raises}",
            $app->edits($settings),
            [
                ...$app->recache(),
                $isHorizon && isset($app->packages['laravel/horizon'])
                    ? 'artisan horizon:terminate'
                    : 'artisan queue:restart',
            ],
            'Set the values as they were, then run the same commands.',
        );
    }

    private function ofSqs(Application $app, JobTimeout $timeout): Finding
    {
        $key = "queue.connections.{$timeout->connection}";
        $queue = trim("{$app->text("{$key}.prefix")}/{$app->text("{$key}.queue")}", '/');

        return Finding::unknown(
            "Jobs of '{$timeout->connection}' may take {$timeout->seconds} seconds, and only SQS knows "
                .'when it delivers them again (VisibilityTimeout).',
            'aws sqs get-queue-attributes --queue-url '.escapeshellarg($queue).' --attribute-names VisibilityTimeout',
        )->about($timeout->who);
    }
}
