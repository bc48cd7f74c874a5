<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\WriteBuffer;

use Headroom\Load\Executor\LoadGenerator;
use Headroom\Load\Metrics\LoadResult;
use Headroom\Load\Plan;
use PDO;
use Workbench\Rig\PageViews;
use Workbench\Rig\Rig;

/**
 * One application behind nginx and FPM, with endpoints that differ only in the write and take turns, round by round,
 * at 100 connections, while other processes empty the buffer. Turns are short, because other load of the machine
 * changes within ten seconds; ratios are taken within a round. Afterwards the tables are compared with the acknowledged
 * events.
 */
final class Endpoints
{
    private const CONNECTIONS = 100;

    private const LEAD_SECONDS = 1.0;

    private const SETTLE_MICROS = 1_200_000;

    /** Endpoints that deliver no event into a table of the buffer. */
    private const UNDELIVERED = ['none', 'xadd'];

    public readonly Rounds $results;

    public readonly AcknowledgedEvents $acknowledged;

    /**
     * @param list<string> $buckets that are flushed at the end; all if empty
     * @param array<string, string> $sides paths by name: sync, buffered, perhaps none
     * @param ?float $pause seconds that each user waits after an answer; the requests in flight at the end of a turn
     *     are waited for then
     * @param callable(string): void $log
     */
    public function __construct(
        private readonly Site $site,
        private readonly array $buckets,
        PDO $direct,
        private readonly array $sides,
        private readonly int $rounds,
        private readonly float $seconds,
        private $log,
        private readonly ?float $pause = null,
    ) {
        $this->results = new Rounds;
        $this->acknowledged = new AcknowledgedEvents($direct);
    }

    /**
     * @param string $condition begins the ids of the events
     * @param callable(self, Rig): array<string, mixed> $summary
     * @return array<string, mixed>
     */
    public function run(string $condition, callable $summary): array
    {
        return $this->site->measured(
            fn (string $url) => $this->turns($url, $condition),
            fn (Rig $rig): array => $summary($this, $rig),
            ...$this->buckets,
        );
    }

    private function turns(string $url, string $condition): void
    {
        foreach ($this->sides as $side => $path) {
            // One request first, so that a row that all requests update exists.
            $this->load($url.$path, $side, "{$condition}-first", 0.0);
            $this->load($url.$path, $side, "{$condition}-warm", min(self::LEAD_SECONDS, $this->seconds));
        }

        for ($round = 0; $round < $this->rounds; $round++) {
            foreach (Rounds::order(array_keys($this->sides), $round) as $side) {
                // Measure the steady state: spool:work delivers the events of the second before.
                $this->load($url.$this->sides[$side], $side, "{$condition}-{$round}-lead", self::LEAD_SECONDS);
                $result = $this->load($url.$this->sides[$side], $side, "{$condition}-{$round}", $this->seconds);
                $this->results->add($side, $result);
                // Deliver the rest of this side before the next one starts.
                usleep(self::SETTLE_MICROS);
                ($this->log)(sprintf(
                    '  %s, round %d of %d, %-14s %7.0f requests/s, p50 %.1f ms',
                    $condition,
                    $round + 1,
                    $this->rounds,
                    $side,
                    $result->requestsPerSecond(),
                    (int) $result->latency()->percentile(50.0) / 1000,
                ));
            }
        }
    }

    private function load(string $url, string $side, string $turn, float $seconds): LoadResult
    {
        $events = new PageViews($url, "{$turn}-{$side}-");
        $plan = match (true) {
            $seconds === 0.0 => Plan::requests(1, 1, timeout: 30.0),
            $this->pause === null => Plan::duration($seconds, self::CONNECTIONS, timeout: 30.0),
            default => Plan::everything(self::CONNECTIONS, timeout: 30.0, pause: $this->pause),
        };
        $isTimed = $seconds > 0.0 && $this->pause !== null;
        $result = (new LoadGenerator)->run($plan, $isTimed ? new TimedRequests($events, $seconds) : $events, $events);

        if (! in_array($side, self::UNDELIVERED, true)) {
            $this->acknowledged->add($events);
        }

        return $result;
    }
}
