<?php

declare(strict_types=1);

namespace Headroom\Doctor\Laravel\Queue;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\FactUnavailable;

/**
 * After how many seconds Laravel gives a job of a queue connection to another worker.
 *
 * @internal
 */
final readonly class RetryAfter
{
    /** Seconds, where a connection of these drivers sets none. */
    private const DEFAULT = 60.0;

    private const DRIVERS = ['database', 'redis', 'beanstalkd'];

    private function __construct(public float $seconds, public string $key, public Evidence $evidence) {}

    /** Only SQS knows when it delivers a job again. */
    public static function ofSqs(JobTimeout $timeout, Application $app): FactUnavailable
    {
        $key = "queue.connections.{$timeout->connection}";
        $queue = trim("{$app->text("{$key}.prefix")}/{$app->text("{$key}.queue")}", '/');

        return FactUnavailable::because(
            "Jobs of '{$timeout->connection}' may take {$timeout->seconds} seconds, and only SQS knows when it delivers"
                .' them again (VisibilityTimeout).',
            'aws sqs get-queue-attributes --queue-url '.escapeshellarg($queue).' --attribute-names VisibilityTimeout',
        );
    }

    /** @return ?self null if the queue itself decides it, or nothing does */
    public static function of(string $connection, Application $app): ?self
    {
        $key = "queue.connections.{$connection}.retry_after";
        $set = $app->number($key);

        return match (true) {
            $set !== null => new self($set, $key, $app->evidence($key)),
            in_array($app->text("queue.connections.{$connection}.driver"), self::DRIVERS, true) => new self(
                self::DEFAULT,
                $key,
                new Evidence($key, self::DEFAULT.' s', 'default of Laravel'),
            ),
            default => null,
        };
    }
}
