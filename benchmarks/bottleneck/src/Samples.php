<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Bottleneck;

/**
 * The effect of a run on Redis and on the CPUs.
 */
final readonly class Samples
{
    /** @param non-empty-list<Sample> $looks in the order of time */
    public function __construct(private array $looks) {}

    /**
     * @param int $requests that were sent meanwhile
     * @return array<string, mixed>
     */
    public function figures(int $requests): array
    {
        [$first, $last] = [$this->looks[0], $this->looks[count($this->looks) - 1]];
        $seconds = $last->seconds - $first->seconds;
        $ticks = $last->allTicks - $first->allTicks;
        $new = $last->connections - $first->connections;

        return [
            // The sampler is a client as well.
            'redis_clients_most' => max(array_map(static fn (Sample $look): int => $look->clients, $this->looks)) - 1,
            'redis_connections' => $new,
            'redis_connections_per_second' => $seconds > 0.0 ? round($new / $seconds, 1) : null,
            'redis_connections_per_request' => $requests > 0 ? round($new / $requests, 3) : null,
            'cpu_share' => $ticks > 0 ? round(($last->busyTicks - $first->busyTicks) / $ticks, 3) : null,
            'redis' => $this->overTime(),
        ];
    }

    /** @return list<array{at_s: float, clients: int, connections_per_second: float}> */
    private function overTime(): array
    {
        $points = [];

        foreach (array_slice($this->looks, 1) as $i => $look) {
            $before = $this->looks[$i];
            $seconds = $look->seconds - $before->seconds;
            $points[] = [
                'at_s' => round($look->seconds - $this->looks[0]->seconds, 2),
                'clients' => $look->clients - 1,
                'connections_per_second' => $seconds > 0.0
                    ? round(($look->connections - $before->connections) / $seconds, 1)
                    : 0.0,
            ];
        }

        return $points;
    }
}
