<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Collector;

use Closure;
use Workbench\Rig\Rig;

/**
 * A published collector, which checks a key and buffers an event, against a Laravel endpoint that checks an event and
 * writes nothing. Laravel has 50 workers of FPM, as elsewhere in these benchmarks; the collector once has a pool of
 * its own, as its guide recommends, and once 50 workers as well.
 */
final readonly class PublishedAgainstLaravel
{
    private const WORKERS = 50;

    /** Four for each of the two CPUs of the committed results. */
    private const OWN_WORKERS = 8;

    private const CONNECTIONS = 100;

    /** @param Closure(string): void $log */
    public function __construct(private int $rounds, private float $seconds, private Closure $log) {}

    /**
     * @return array{
     *     sides: array<string, array<string, mixed>>,
     *     rate: array<string, mixed>,
     *     p99: array<string, mixed>,
     *     shared_rate: array<string, mixed>,
     *     shared_p99: array<string, mixed>,
     *     acknowledged: int,
     *     buffered: int,
     * }
     */
    public function run(): array
    {
        $rig = new Rig;
        $lane = PublishedCollector::start(self::OWN_WORKERS);
        $shared = PublishedCollector::start(self::WORKERS);

        try {
            $rig->prepare();
            $laravel = $rig->serve(self::WORKERS);
            $event = [
                'id' => 'event-1',
                'ip' => '192.0.2.7',
                'time' => '2015-05-17 10:05:03',
                'method' => 'GET',
                'path' => '/presentations/kibana.png?size=2',
                'status' => 200,
                'bytes' => 203023,
                'referer' => 'http://example.com/',
                'agent' => 'Mozilla/5.0 (X11; Linux x86_64)',
            ];
            $sides = [
                'lane' => fn (float $seconds): WrkResult => Wrk::events(['EVENT_KEY' => $lane->key])
                    ->run($lane->url(), self::CONNECTIONS, $seconds),
                'lane_shared' => fn (float $seconds): WrkResult => Wrk::events(['EVENT_KEY' => $shared->key])
                    ->run($shared->url(), self::CONNECTIONS, $seconds),
                'laravel' => fn (float $seconds): WrkResult => (new Wrk(
                    'post',
                    ['EVENT_BODY' => json_encode($event, JSON_THROW_ON_ERROR)],
                ))->run("{$laravel->url()}/events/none", self::CONNECTIONS, $seconds),
            ];
            // Does not count: each worker of FPM loads its code with its first requests.
            $warm = array_map(static fn (Closure $side): WrkResult => $side(2.0), $sides);
            $turns = new Turns;
            $turns->run(
                $this->rounds,
                array_map(fn (Closure $side): Closure => fn (): WrkResult => $side($this->seconds), $sides),
                $this->log,
            );

            return [
                'sides' => $turns->figures(),
                'rate' => $turns->rates('lane', 'laravel'),
                'p99' => $turns->p99s('lane', 'laravel'),
                'shared_rate' => $turns->rates('lane_shared', 'laravel'),
                'shared_p99' => $turns->p99s('lane_shared', 'laravel'),
                'acknowledged' => array_sum(array_map(
                    static fn (string $side): int => $turns->acknowledged($side) + $warm[$side]->requests
                        - $warm[$side]->refused,
                    ['lane', 'lane_shared'],
                )),
                'buffered' => $lane->buffered() + $shared->buffered(),
            ];
        } finally {
            isset($laravel) && $laravel->stop();
            $lane->stop();
            $shared->stop();
            $rig->remove();
        }
    }
}
