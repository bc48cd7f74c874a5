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
            $retry = RetryAfter::of($name, $app);

            if ($app->text("queue.connections.{$name}.driver") === 'sqs' && $name === $app->text('queue.default')) {
                yield Finding::unavailable(RetryAfter::ofSqs($timeout, $app))->about($timeout->of);
            } elseif ($retry !== null) {
                yield self::ofJobs($app, $timeout, $retry, $timeouts->longest($name) ?? 0)
                    ->about($timeout->of)->withConfidence($timeout->confidence);
            }
        }
    }

    private static function ofJobs(Application $app, JobTimeout $timeout, RetryAfter $retry, int $longest): Finding
    {
        $evidence = [$timeout->evidence, $retry->evidence];

        if ($timeout->seconds > 0 && $timeout->seconds < $retry->seconds) {
            return Finding::pass('a job ends before retry_after', ...$evidence);
        }

        $jobs = $timeout->seconds === 0 ? 'have no time limit' : "may take {$timeout->seconds} seconds";
        $report = $timeout->isGuess ? Finding::warn(...) : Finding::fail(...);

        return $report(
            "Its jobs {$jobs}, and after {$retry->seconds} another worker takes them, too.",
            $evidence,
            self::fix($app, $timeout, $retry, $longest),
        );
    }

    /**
     * Horizon's own limit is lowered. A limit of a command line or of a class is taken as intended, and retry_after is
     * raised above all of them.
     */
    private static function fix(Application $app, JobTimeout $timeout, RetryAfter $retry, int $longest): Fix
    {
        $end = (string) max(1, (int) $retry->seconds - self::SHORTER);
        $beyond = $longest === 0 ? 'that time' : (string) ($longest + self::LONGER);

        return $app->fix(
            match (true) {
                $timeout->key !== null => [$timeout->key => $end],
                $timeout->isOfHorizon() || $timeout->seconds === 0 || $longest === 0 => [],
                default => [$retry->key => $beyond],
            },
            $timeout->isOfHorizon() && isset($app->packages['laravel/horizon'])
                ? 'artisan horizon:terminate'
                : 'artisan queue:restart',
            "End jobs some seconds before retry_after: --timeout={$end}, or 'timeout' => {$end} in"
                .' config/horizon.php or'
                ." of the class. If jobs need longer, raise retry_after of '{$timeout->connection}' in config/queue.php"
                ." to {$beyond} instead.",
        );
    }
}
