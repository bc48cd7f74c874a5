<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Collector;

use Closure;
use Headroom\Dev\DelayProxy;

/**
 * Acknowledgements while the index answers, answers 50 ms later, and does not answer (a stopped process is between
 * them); and whether all events are in it afterwards.
 */
final readonly class SlowIndex
{
    private const SLOWER_MILLIS = 50.0;

    /* * @param \Closure(string): void $log */
    public function __construct(
        private string $url,
        private int $rounds,
        private float $seconds,
        private Closure $log,
    ) {}

    /** @return array<string, mixed> */
    public function run(): array
    {
        $at = parse_url($this->url);
        $proxies = array_map(
            static fn (float $millis): DelayProxy
                => DelayProxy::start((string) ($at['host'] ?? ''), (int) ($at['port'] ?? 0), $millis),
            ['slow' => self::SLOWER_MILLIS, 'down' => 0.0],
        );
        $urls = [
            'up' => $this->url,
            ...array_map(static fn (DelayProxy $proxy): string => "http://{$proxy->host}:{$proxy->port}", $proxies),
        ];
        $indices = array_map(fn (): Index => new Index($this->url, 'acks'), $urls);
        $stacks = [];
        $turns = new Turns;

        try {
            foreach ($urls as $side => $url) {
                $stacks[$side] = StackX::start(1, flushers: 1, bucket: $indices[$side]->sink($url));
            }

            $clients = array_map(
                static fn (StackX $x): Wrk => Wrk::events([
                    'EVENT_PREFIX' => bin2hex(random_bytes(4)).'-',
                    'EVENT_KEY' => $x->key(),
                    'EVENT_PAUSE' => '25',
                ]),
                $stacks,
            );
            $sides = [];

            foreach ($stacks as $side => $x) {
                $sides[$side] = function () use ($clients, $side, $x): WrkResult {
                    static $round = 0;

                    return $clients[$side]->with(['EVENT_PREFIX' => "{$side}-".$round++.'-'])
                        ->run("{$x->url}/v1/events", 100, $this->seconds);
                };
            }

            posix_kill($proxies['down']->pid(), SIGSTOP);
            $turns->run($this->rounds, $sides, $this->log);
            posix_kill($proxies['down']->pid(), SIGCONT);
            $found = [];

            foreach ($stacks as $side => $x) {
                $found[$side] = $this->found($x, $indices[$side], $turns->acknowledged($side));
            }
        } finally {
            foreach ($stacks as $x) {
                $x->stop();
            }

            foreach ($indices as $index) {
                $index->remove();
            }

            posix_kill($proxies['down']->pid(), SIGCONT);
            array_map(static fn (DelayProxy $proxy) => $proxy->stop(), $proxies);
        }

        return [
            'sides' => $turns->figures(),
            'slow_vs_up' => $turns->rates('slow', 'up'),
            'down_vs_up' => $turns->rates('down', 'up'),
            'found' => $found,
        ];
    }

    /** @return array<string, int> */
    private function found(StackX $x, Index $index, int $acknowledged): array
    {
        $x->finish();
        $x->deliverAll();
        $ids = $index->ids();

        return [
            'acknowledged' => $acknowledged,
            'in_index' => count($ids),
            'lost' => max(0, $acknowledged - count($ids)),
            'double' => count(array_filter($ids, static fn (int $n): bool => $n > 1)),
        ];
    }
}
