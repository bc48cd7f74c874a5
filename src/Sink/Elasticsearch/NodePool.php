<?php

declare(strict_types=1);

namespace Headroom\Sink\Elasticsearch;

use Headroom\Core\Clock;
use Headroom\Sink\HttpClient\Endpoint;

/**
 * The nodes of a cluster, used in turn. A node that did not answer is skipped for a while.
 *
 * @internal
 */
final class NodePool
{
    private const DOWN_NANOS = 30_000_000_000;

    private int $turn = 0;

    /** @var array<int, int> monotonic nanoseconds until which a node is skipped, by index */
    private array $downUntil = [];

    /** @param non-empty-list<Endpoint> $nodes */
    public function __construct(private readonly array $nodes, private readonly Clock $clock) {}

    /** The next available node. If all are skipped, the one whose pause ends first. */
    public function next(): Endpoint
    {
        $now = $this->clock->monotonicNanos();
        $this->downUntil = array_filter($this->downUntil, static fn (int $until): bool => $until > $now);

        for ($step = 0; $step < count($this->nodes); $step++) {
            $number = $this->turn++ % count($this->nodes);

            if (! isset($this->downUntil[$number])) {
                return $this->nodes[$number];
            }
        }

        asort($this->downUntil);

        return $this->nodes[(int) array_key_first($this->downUntil)];
    }

    /** @return bool true if another node is available */
    public function markDown(Endpoint $node): bool
    {
        foreach ($this->nodes as $number => $one) {
            if ($one->url === $node->url) {
                $this->downUntil[$number] = $this->clock->monotonicNanos() + self::DOWN_NANOS;
            }
        }

        return count($this->downUntil) < count($this->nodes);
    }
}
