<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Collector;

use Closure;
use Headroom\Bench\Samples;

/**
 * One flusher empties a bucket that the collector has filled into a real index.
 */
final readonly class Drain
{
    private const LINES = 100;

    /** @param Closure(string): void $log */
    public function __construct(private string $url, private int $events, private int $rounds, private Closure $log) {}

    /** @return array<string, mixed> */
    public function run(): array
    {
        [$rates, $lost, $double] = [[], 0, 0];

        for ($round = 0; $round < $this->rounds; $round++) {
            $index = new Index($this->url, 'drain');
            $x = StackX::start(1, bucket: $index->sink());

            try {
                $key = $x->key();
                $acknowledged = 0;

                for ($turn = 0; $acknowledged < $this->events; $turn++) {
                    $result = Wrk::events([
                        'EVENT_PREFIX' => "{$round}-{$turn}-",
                        'EVENT_LINES' => (string) self::LINES,
                        'EVENT_KEY' => $key,
                    ])->run("{$x->url}/v1/events", 4, 1);
                    $acknowledged += ($result->requests - $result->refused) * self::LINES;
                }

                $x->finish();
                $pending = $x->pending();
                $start = hrtime(true);
                $x->command('spool:flush', 'events', '--now');
                $rates[] = $pending / ((hrtime(true) - $start) / 1e9);
                $ids = $index->ids();
                $lost += max(0, $acknowledged - count($ids));
                $double += count(array_filter($ids, static fn (int $n): bool => $n > 1));
                ($this->log)(sprintf(
                    '  round %d of %d: %d documents, %.0f a second',
                    $round + 1,
                    $this->rounds,
                    $pending,
                    end($rates),
                ));
            } finally {
                $x->stop();
                $index->remove();
            }
        }

        return ['documents_per_second' => (new Samples($rates))->toArray(), 'lost' => $lost, 'double' => $double];
    }
}
