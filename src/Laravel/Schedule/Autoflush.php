<?php

declare(strict_types=1);

namespace Headroom\Laravel\Schedule;

use Headroom\Spool\Delivery\FlushOptions;
use Headroom\Spool\FileStore\State\Throttle;
use Headroom\Spool\Services\SpoolServices;
use Headroom\Spool\Worker\DueBuckets;
use Headroom\Spool\Worker\FailureLog;
use Headroom\Spool\Worker\HeartbeatSender;
use Throwable;

/**
 * Flushes in a request after its response was sent, for hosts that have neither cron nor a worker. As with any flush, a
 * kill loses no event.
 *
 * @internal
 */
final readonly class Autoflush
{
    /** Time limit of a flush, which one batch may exceed: the FPM worker serves no request meanwhile. */
    private const SECONDS = 5;

    /**
     * Raises the CPU time limit that the application set for its request; it would end the flush with a fatal error.
     */
    private const TIME_LIMIT = 65;

    /** These functions complete the response before the script ends. With other servers the client would wait. */
    private const FINISHING = ['fastcgi_finish_request', 'litespeed_finish_request'];

    public function __construct(private SpoolServices $spool) {}

    public static function isPossible(): bool
    {
        return function_exists(self::FINISHING[0]) || function_exists(self::FINISHING[1]);
    }

    /** Never throws, because a flush must not break the application. */
    public function run(): void
    {
        try {
            $last = $this->turn();

            if ($last !== null) {
                $this->flush($last);
                (new HeartbeatSender($this->spool))->beat();
            }
        } catch (Throwable) {
            // Every command reports an invalid configuration, and so does spool:health.
        }
    }

    /** @return ?int time of the last run in seconds since the Unix epoch; null if no run is due */
    private function turn(): ?int
    {
        $config = $this->spool->config();
        $every = $config->autoflush();
        $interval = new Throttle(
            "{$config->path}/autoflush",
            $this->spool->store()->permissions,
            $this->spool->clock(),
        );

        return $every !== null && $interval->isDue($every) && $this->isAnswered() && ! $this->spool->isInMaintenance()
            ? $interval->claimTurn($every)
            : null;
    }

    /** If no headers have been sent yet, the response is sent later. To finish it now would cut it off. */
    private function isAnswered(): bool
    {
        foreach (self::FINISHING as $finish) {
            if (headers_sent() && function_exists($finish)) {
                $finish();

                return true;
            }
        }

        return false;
    }

    private function flush(int $last): void
    {
        ignore_user_abort(true);
        (int) ini_get('max_execution_time') > 0
            && function_exists('set_time_limit')
            && set_time_limit(self::TIME_LIMIT);
        $clock = $this->spool->clock();
        $log = new FailureLog($this->spool);
        $end = $clock->monotonicNanos() + self::SECONDS * 1_000_000_000;

        foreach ($this->buckets($last, intdiv($clock->micros(), 1_000_000)) as $bucket) {
            $left = intdiv($end - $clock->monotonicNanos(), 1_000_000_000);

            if ($left < 1) {
                break;
            }

            $log->note($this->spool->flush($bucket, new FlushOptions(seconds: $left)));
        }
    }

    /**
     * @return list<string> buckets with events; each time a different one is first, because the time may not suffice
     *     for all
     */
    private function buckets(int $last, int $now): array
    {
        $timetable = new DueBuckets($this->spool);
        $names = $this->spool->config()->names();
        $first = $names === [] ? 0 : $now % count($names);

        return array_values(array_filter(
            [...array_slice($names, $first), ...array_slice($names, 0, $first)],
            fn (string $name): bool => $timetable->schedule($name) !== false && $timetable->isDue($name, $last, $now)
                && ! $this->spool->isUntouched($name) && ! $this->spool->stores()->isDrained($name),
        ));
    }
}
