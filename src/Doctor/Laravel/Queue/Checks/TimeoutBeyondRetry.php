<?php

declare(strict_types=1);

namespace Headroom\Doctor\Laravel\Queue\Checks;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Check;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Laravel\Queue\JobTimeout;
use Headroom\Doctor\Laravel\Queue\JobTimeouts;
use Headroom\Doctor\Laravel\Queue\RetryAfter;

/**
 * @internal
 */
final readonly class TimeoutBeyondRetry implements Check
{
    /** Seconds that a job ends before retry_after. */
    private const SHORTER = 10;

    /** Seconds between the longest limit and retry_after. */
    private const LONGER = 30;

    public function examine(Facts $facts): iterable
    {
        $app = $facts->get(Application::class);
        $timeouts = new JobTimeouts($app, $facts);

        foreach ($timeouts->all() as $timeout) {
            $name = $timeout->connection;
            $isSqs = $app->text("queue.connections.{$name}.driver") === 'sqs' && $name === $app->text('queue.default');
            $retry = $isSqs ? null : RetryAfter::of($name, $app);
            $finding = match (true) {
                $isSqs => self::ofSqs($app, $timeout),
                $retry !== null => self::ofJobs($app, $timeout, $retry, $timeouts->longest($name) ?? 0),
                default => null,
            };

            if ($finding !== null) {
                yield $finding->about($timeout->of);
            }
        }
    }

    private static function ofJobs(Application $app, JobTimeout $timeout, RetryAfter $retry, int $longest): Finding
    {
        $evidence = [$timeout->evidence, $retry->evidence];

        if ($timeout->seconds > 0 && $timeout->seconds < $retry->seconds) {
            return Finding::pass('a job ends before retry_after', ...$evidence)->withConfidence($timeout->confidence);
        }

        $jobs = $timeout->seconds === 0 ? 'have no time limit' : "may take {$timeout->seconds} seconds";
        $report = $timeout->isGuess ? Finding::warn(...) : Finding::fail(...);

        return $report(
            "Its jobs {$jobs}, and after {$retry->seconds} another worker starts them again.",
            $evidence,
            'A slow job runs twice at the same time.',
            self::fix($app, $timeout, $retry, $longest),
        )->withConfidence($timeout->confidence);
    }

    /**
     * Horizon's own limit is lowered. A limit of a command line or of a class is taken as intended, and retry_after is
     * raised above all of them.
     */
    private static function fix(Application $app, JobTimeout $timeout, RetryAfter $retry, int $longest): Fix
    {
        $end = max(1, (int) $retry->seconds - self::SHORTER);
        $beyond = $longest + self::LONGER;
        $raised = $longest === 0
            ? "If jobs need longer, raise retry_after of '{$timeout->connection}' in config/queue.php above that time."
            : "If jobs need as long, set 'retry_after' => {$beyond} of '{$timeout->connection}' in config/queue.php"
                .' instead.';

        return $app->fix(
            "End jobs some seconds before retry_after: --timeout={$end}, or 'timeout' => {$end} in config/horizon.php"
                ." or of the class. {$raised}",
            match (true) {
                $timeout->key !== null => [$timeout->key => (string) $end],
                $timeout->isOfHorizon() || $timeout->seconds === 0 || $longest === 0 => [],
                default => [$retry->key => (string) $beyond],
            },
            $timeout->isOfHorizon() && isset($app->packages['laravel/horizon'])
                ? 'artisan horizon:terminate'
                : 'artisan queue:restart',
        );
    }

    private static function ofSqs(Application $app, JobTimeout $timeout): Finding
    {
        $key = "queue.connections.{$timeout->connection}";
        $queue = trim("{$app->text("{$key}.prefix")}/{$app->text("{$key}.queue")}", '/');

        return Finding::unknown(
            "Jobs of '{$timeout->connection}' may take {$timeout->seconds} seconds, and only SQS knows when it delivers"
                .' them again (VisibilityTimeout).',
            'aws sqs get-queue-attributes --queue-url '.escapeshellarg($queue).' --attribute-names VisibilityTimeout',
        );
    }
}
