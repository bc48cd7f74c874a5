<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Collector;

use Closure;

/**
 * Half of the rate that intake, flusher and index can sustain, for an hour: memory must stay constant, and each event
 * must arrive.
 */
final readonly class Soak
{
    private const LOOK_SECONDS = 10.0;

    /** The mean wait of a client between two events: long against an answer, so that the rate is as planned. */
    private const PAUSE_MILLIS = 100;

    /** Below the descriptors that two workers with PHP's own event loop support. */
    private const MOST_CONNECTIONS = 1500;

    /* * @param \Closure(string): void $log */
    public function __construct(private string $url, private float $seconds, private Closure $log) {}

    /** @return array<string, mixed> */
    public function run(): array
    {
        $index = new Index($this->url, 'soak');
        $x = StackX::start(2, flushers: 1, bucket: $index->sink());

        try {
            $client = Wrk::events(['EVENT_KEY' => $x->key()]);
            [$full, $delivered] = $this->full($x, $client);
            $connections = max(1, min(self::MOST_CONNECTIONS, (int) round($delivered / 2 * self::PAUSE_MILLIS / 1000)));
            ($this->log)(sprintf(
                '  flat out %.0f acks/s, of which %.0f events/s arrive; half of these for %.0f s by %d connections',
                $full->perSecond(),
                $delivered,
                $this->seconds,
                $connections,
            ));
            $resident = new ResidentMemory;
            $soak = $this->soak(
                $x,
                $client->with(['EVENT_PREFIX' => 'soak-', 'EVENT_PAUSE' => (string) self::PAUSE_MILLIS]),
                $connections,
                $resident,
            );
            $waiting = $x->pending();
            $x->finish();
            $x->deliverAll();
            $found = $index->tally();
        } finally {
            $x->stop();
            $index->remove();
        }

        $acknowledged = $full->requests - $full->refused + $soak->requests - $soak->refused;

        return [
            'full_acks_per_second' => round($full->perSecond(), 1),
            'delivered_per_second' => round($delivered, 1),
            'seconds' => round($soak->seconds, 1),
            'soak' => $soak->toArray(),
            'memory' => $resident->figures(),
            'waiting_at_the_end' => $waiting,
            'acknowledged' => $acknowledged,
            'in_index' => $found['events'],
            'lost' => max(0, $acknowledged - $found['events']),
            'double' => $found['double'],
        ];
    }

    /** @return array{WrkResult, float} flat out, and the events that arrived a second until the last one had */
    private function full(StackX $x, Wrk $client): array
    {
        $start = hrtime(true);
        $full = $client->with(['EVENT_PREFIX' => 'full-'])
            ->run("{$x->url}/v1/events", 100, max(10.0, min(20.0, $this->seconds / 20)));

        while ($x->pending() > 0) {
            usleep(200_000);
        }

        return [$full, ($full->requests - $full->refused) / ((hrtime(true) - $start) / 1e9)];
    }

    private function soak(StackX $x, Wrk $client, int $connections, ResidentMemory $resident): WrkResult
    {
        $process = $client->start("{$x->url}/v1/events", $connections, $this->seconds);
        $every = min(self::LOOK_SECONDS, $this->seconds / 24);
        $start = microtime(true);

        for ($look = 0; $process->isRunning(); $look++) {
            $resident->look($x, microtime(true) - $start);
            $look % 30 === 0
                && ($this->log)(
                    '  '.json_encode(
                        ['minute' => round((microtime(true) - $start) / 60, 1)]
                            + array_map(static fn (array $kind): float => $kind['max_mb'], $resident->figures()),
                    ),
                );
            usleep(max(0, (int) (1e6 * ($start + ($look + 1) * $every - microtime(true)))));
        }

        return WrkResult::fromOutput($process->getOutput().$process->getErrorOutput());
    }
}
