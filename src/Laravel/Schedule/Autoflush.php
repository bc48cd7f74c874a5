<?php

declare(strict_types=1);

namespace Headroom\Laravel\Schedule;

use Headroom\Spool\Delivery\FlushOptions;
use Headroom\Spool\FileStore\State\Throttle;
use Headroom\Spool\Services\SpoolServices;
use Headroom\Spool\Worker\FailureLog;
use Headroom\Spool\Worker\FlushSchedule;
use Headroom\Spool\Worker\HeartbeatSender;
use Throwable;

/**
 * A flush by a request whose client has its answer already, for hosts that have neither cron nor a worker. The request
 * that is killed in it loses what any killed flush loses, which is nothing.
 *
 * @internal
 */
final readonly class Autoflush
{
    /** What a request may spend, and a batch more: its worker serves nobody meanwhile. */
    private const SECONDS = 5;

    /** A limit of CPU time that the application had for its request would otherwise end in an error for the log. */
    private const TIME_LIMIT = 65;

    /** With these the client has the whole answer before the script ends; with any other server it would wait. */
    private const FINISHING = ['fastcgi_finish_request', 'litespeed_finish_request'];

    public function __construct(private SpoolServices $spool) {}

    public static function isPossible(): bool
    {
        return function_exists(self::FINISHING[0]) || function_exists(self::FINISHING[1]);
    }

    /** Never throws: it is none of the application's business. */
    public function run(): void
    {
        try {
            $last = $this->turn();

            if ($last !== null) {
                $this->flush($last);
                (new HeartbeatSender($this->spool))->beat();
            }
        } catch (Throwable) {
            // A configuration that is wrong is told by every command, and by spool:health.
        }
    }

    /** @return ?int when it was done last, in seconds since the Unix epoch; null when it is not to be done now */
    private function turn(): ?int
    {
        $config = $this->spool->config();
        $every = $config->autoflush();
        $interval = new Throttle("{$config->path}/autoflush", $this->spool->store()->permissions, $this->spool->clock());

        return $every !== null && $interval->isDue($every) && $this->isAnswered() && ! $this->spool->isResting() ? $interval->take($every) : null;
    }

    /** Whoever has not begun to send by now sends later, and must not be cut off. */
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
        (int) ini_get('max_execution_time') > 0 && function_exists('set_time_limit') && set_time_limit(self::TIME_LIMIT);
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

    /** @return list<string> those in which something lies, beginning with another one each time: there may not be time for all */
    private function buckets(int $last, int $now): array
    {
        $timetable = new FlushSchedule($this->spool);
        $names = $this->spool->config()->names();
        $first = $names === [] ? 0 : $now % count($names);

        return array_values(array_filter(
            [...array_slice($names, $first), ...array_slice($names, 0, $first)],
            fn (string $name): bool => $timetable->schedule($name) !== false && $timetable->isDue($name, $last, $now)
                && ! $this->spool->isUntouched($name) && ! $this->spool->stores()->isDrained($name),
        ));
    }
}
