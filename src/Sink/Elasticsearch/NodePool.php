<?php

declare(strict_types=1);

namespace Headroom\Sink\Elasticsearch;

use Headroom\Core\Clock;
use Headroom\Sink\HttpClient\Endpoint;

/**
 * The servers of a cluster, in turn. One that gave no answer rests for a while.
 *
 * @internal
 */
final class NodePool
{
    private const REST_NANOS = 30_000_000_000;

    private int $turn = 0;

    /** @var array<int, int> until when, in nanoseconds of the clock, by number */
    private array $resting = [];

    /** @param non-empty-list<Endpoint> $nodes */
    public function __construct(private readonly array $nodes, private readonly Clock $clock) {}

    /** The next one that does not rest; of those that all rest, the one that has rested longest. */
    public function next(): Endpoint
    {
        $now = $this->clock->monotonicNanos();
        $this->resting = array_filter($this->resting, static fn (int $until): bool => $until > $now);

        for ($step = 0; $step < count($this->nodes); $step++) {
            $number = $this->turn++ % count($this->nodes);

            if (! isset($this->resting[$number])) {
                return $this->nodes[$number];
            }
        }

        asort($this->resting);

        return $this->nodes[(int) array_key_first($this->resting)];
    }

    /** @return bool whether there is another one to ask instead */
    public function rest(Endpoint $node): bool
    {
        foreach ($this->nodes as $number => $one) {
            if ($one->url === $node->url) {
                $this->resting[$number] = $this->clock->monotonicNanos() + self::REST_NANOS;
            }
        }

        return count($this->resting) < count($this->nodes);
    }
}
