<?php

declare(strict_types=1);

namespace Headroom\Spool\Health;

use Headroom\Core\Finding;
use Headroom\Core\HeadroomException;
use Headroom\Spool\Monitoring\NodeStatus;
use Headroom\Spool\Services\SpoolServices;
use Headroom\Support\TerminalText;
use Throwable;

/**
 * Nodes that send no heartbeat although events wait there, and two machines with one node id.
 *
 * @internal
 */
final readonly class NodesAreSilent implements HealthCheck
{
    public function __construct(private SpoolServices $spool) {}

    /** @return list<Finding> */
    public function findings(): array
    {
        $nodes = $this->spool->nodes();

        // Before the first event there is nothing to report.
        if (
            $nodes === null
            || (($this->spool->isUntouched() || $this->spool->store()->buckets() === [])
                && ! $this->spool->store()->hasServedRedis())
        ) {
            return [];
        }

        try {
            $all = $nodes->all();
        } catch (Throwable $e) {
            return [new Finding(
                'heartbeats',
                "The table spool_nodes cannot be read, so other machines cannot see this one: {$e->getMessage()}",
                'Delivery is not affected. Fix the connection, or set spool.heartbeats to another one.',
                false,
            )];
        }

        return $all === null
            ? [new Finding(
                'heartbeats',
                'The table spool_nodes does not exist, so `spool:status --all` cannot show other machines.',
                'Run `spool:install`, then `migrate`; or set spool.heartbeats to false.',
                false,
            )]
            : [...self::duplicates($all), ...$this->silent($all)];
    }

    /** @return list<Finding> other machines with the node id of this one; empty when that is unknown */
    public function ownDuplicates(): array
    {
        try {
            if ($this->spool->isUntouched()) {
                return [];
            }

            $own = $this->spool->store()->node();

            return self::duplicates(array_values(array_filter(
                $this->spool->nodes()?->all() ?? [],
                static fn (NodeStatus $node): bool => $node->beat->node === $own,
            )));
        } catch (Throwable) {
            return []; // findings() reports what is wrong with the table.
        }
    }

    /**
     * @param list<NodeStatus> $all
     * @return list<Finding>
     */
    public static function duplicates(array $all): array
    {
        $problems = [];

        foreach ($all as $number => $one) {
            foreach (array_slice($all, $number + 1) as $other) {
                if ($one->isDuplicateOf($other)) {
                    $problems[] = new Finding(
                        "node {$one->beat->node}",
                        "Two machines use this id: {$one->beat->host} ({$one->beat->path}, pid {$one->beat->pid}) and"
                            ." {$other->beat->host} ({$other->beat->path}, pid {$other->beat->pid}). A disk with a"
                            .' buffer was copied, and the events of only one copy are delivered.',
                        'Run `spool:new-id` on the machine that reports a fork, or on the copy before one does; see'
                            .' docs/copied-disks.md.',
                    );
                }
            }
        }

        return $problems;
    }

    /**
     * @param list<NodeStatus> $all
     * @return list<Finding>
     */
    private function silent(array $all): array
    {
        try {
            $own = $this->spool->isUntouched() ? null : $this->spool->store()->node();
        } catch (HeadroomException) {
            $own = null; // DirectoryIsUnusable reports the reason.
        }

        $lost = array_filter(
            self::latest($all),
            static fn (NodeStatus $node): bool
                => $node->isSilent() && $node->beat->pending() > 0 && $node->beat->node !== $own,
        );

        return array_values(array_map(
            self::ofNode(...),
            $lost,
        ));
    }

    /**
     * @param list<NodeStatus> $all for each node, the latest heartbeat first
     * @return list<NodeStatus> the latest heartbeat of each node
     */
    public static function latest(array $all): array
    {
        $latest = [];

        foreach ($all as $node) {
            $latest[$node->beat->node] ??= $node;
        }

        return array_values($latest);
    }

    public static function ofNode(NodeStatus $node): Finding
    {
        return new Finding("node {$node->beat->node}", self::message($node), self::fix($node), false);
    }

    public static function message(NodeStatus $node): string
    {
        return "{$node->beat->host} was last seen ".self::ago($node->seenSeconds).' ago, with '
            .TerminalText::count($node->beat->pending(), 'event')." waiting in {$node->beat->path}.";
    }

    public static function fix(NodeStatus $node): string
    {
        return 'Start it again, or mount its disk and run `spool:adopt DIRECTORY`. If the disk is lost, run'
            ." `spool:forget-node {$node->beat->node} --force`.";
    }

    public static function ago(int $seconds): string
    {
        return match (true) {
            $seconds < 120 => "{$seconds} s",
            $seconds < 7200 => intdiv($seconds, 60).' min',
            $seconds < 172_800 => intdiv($seconds, 3600).' h',
            default => intdiv($seconds, 86_400).' days',
        };
    }
}
