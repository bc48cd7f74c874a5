<?php

declare(strict_types=1);

namespace Headroom\Console\Spool\Output;

use Headroom\Console\TerminalStyles;
use Headroom\Core\Finding;
use Headroom\Report\TextTable;
use Headroom\Spool\BucketStatus;
use Headroom\Spool\Health\NodesAreSilent;
use Headroom\Spool\Monitoring\Heartbeat;
use Headroom\Spool\Monitoring\NodeStatus;
use Headroom\Spool\Services\SpoolServices;
use Headroom\Spool\Worker\HeartbeatSender;
use Headroom\Support\TerminalText;
use Symfony\Component\Console\Output\OutputInterface;
use Throwable;

/**
 * The last heartbeats of all machines, with this machine and Redis read directly.
 *
 * @internal
 */
final readonly class ClusterStatusTable
{
    /**
     * @param list<NodeStatus> $nodes the latest heartbeat of each
     * @param list<Finding> $twins machines that share one id
     * @param list<BucketStatus> $inRedis
     */
    private function __construct(
        private array $nodes,
        private array $twins,
        private array $inRedis,
        private ?string $own,
    ) {}

    /** @return self|string the reason if there are no heartbeats to show */
    public static function of(SpoolServices $spool): self|string
    {
        try {
            $nodes = $spool->nodes();
            $all = $nodes?->all();
        } catch (Throwable $e) {
            return "The table spool_nodes cannot be read: {$e->getMessage()}";
        }

        if ($all === null) {
            return $nodes === null
                ? 'There are no heartbeats. A Laravel application writes them if spool.heartbeats is true.'
                : 'There are no heartbeats, because there is no table spool_nodes. '
                    .'Run `spool:install`, then `migrate`.';
        }

        $heart = new HeartbeatSender($spool);
        $own = $heart->hasCause() ? $heart->read() : null;

        return new self(
            NodesAreSilent::latest($own === null ? $all : self::with($all, $own)),
            NodesAreSilent::duplicates($all),
            self::inRedis($spool),
            $own?->node,
        );
    }

    public function pending(): int
    {
        return array_sum(array_map(static fn (NodeStatus $node): int => $node->beat->pending(), $this->nodes))
            + $this->pendingInRedis();
    }

    public function oldestSeconds(): ?int
    {
        $ages = array_filter(
            [
                ...array_map(static fn (NodeStatus $node): ?int => $node->oldestSeconds(), $this->nodes),
                $this->oldestInRedis(),
            ],
            is_int(...),
        );

        return $ages === [] ? null : max($ages);
    }

    /** Whether an operator has to act, regardless of the thresholds. */
    public function isWrong(): bool
    {
        return $this->twins !== []
            || array_filter(
                $this->nodes,
                static fn (NodeStatus $node): bool => self::isLost($node) || $node->beat->failing() > 0,
            ) !== []
            || array_filter(
                $this->inRedis,
                static fn (BucketStatus $bucket): bool => $bucket->error !== null || $bucket->flush->trouble !== null,
            ) !== [];
    }

    /** Leaves out events on a machine's disk, because the heartbeat of that machine counts them. */
    private function pendingInRedis(): int
    {
        return array_sum(array_map(
            static fn (BucketStatus $bucket): int => $bucket->events->pending - $bucket->storage->onDisk,
            $this->inRedis,
        ));
    }

    private function oldestInRedis(): ?int
    {
        $ages = array_filter(
            array_map(static fn (BucketStatus $bucket): ?float => $bucket->oldestSeconds, $this->inRedis),
            is_float(...),
        );

        return $ages === [] ? null : (int) max($ages);
    }

    /** @return array<string, mixed> */
    public function toArray(): array
    {
        return [
            'pending' => $this->pending(),
            'oldest_seconds' => $this->oldestSeconds(),
            'silent' => count(array_filter($this->nodes, static fn (NodeStatus $node): bool => $node->isSilent())),
            'nodes' => array_map(static fn (NodeStatus $node): array => $node->toArray(), $this->nodes),
            'redis' => array_map(
                static fn (BucketStatus $bucket): array => [
                    'bucket' => $bucket->bucket,
                    'pending' => $bucket->events->pending - $bucket->storage->onDisk,
                    'error' => $bucket->error,
                ],
                $this->inRedis,
            ),
            'problems' => $this->twins,
        ];
    }

    public function print(OutputInterface $output): void
    {
        $table = TextTable::of(['host', 'node', 'pending', 'oldest', 'dead', 'dropped', 'seen']);

        $hosts = array_count_values(array_map(static fn (NodeStatus $node): string => $node->beat->host, $this->nodes));

        foreach ($this->nodes as $node) {
            $table = $table->with(
                // Containers and applications on one machine have one host name.
                $hosts[$node->beat->host] > 1 ? "{$node->beat->host} {$node->beat->path}" : $node->beat->host,
                substr($node->beat->node, 0, 8),
                (string) $node->beat->pending(),
                $node->oldestSeconds() === null ? '' : NodesAreSilent::ago($node->oldestSeconds()),
                (string) $node->beat->dead(),
                (string) $node->beat->dropped(),
                $node->beat->node === $this->own ? 'now, this one' : NodesAreSilent::ago($node->seenSeconds).' ago',
            );
        }

        if ($this->inRedis !== []) {
            $oldest = $this->oldestInRedis();
            $table = $table->with(
                'Redis',
                TerminalText::count(count($this->inRedis), 'bucket'),
                (string) $this->pendingInRedis(),
                $oldest === null ? '' : NodesAreSilent::ago($oldest),
            );
        }

        $table = $table->with(
            'all',
            TerminalText::count(count($this->nodes), 'node'),
            (string) $this->pending(),
            $this->oldestSeconds() === null ? '' : NodesAreSilent::ago($this->oldestSeconds()),
        );

        TerminalStyles::print($output, [...$table->lines(), ''], ['/^host +node /' => 'heading']);
        TerminalStyles::print(
            $output,
            array_map(TerminalText::line(...), $this->remarks()),
            ['/^/' => 'warning'],
        );
    }

    /** @return list<string> */
    private function remarks(): array
    {
        $remarks = array_map(static fn (Finding $twin): string => "{$twin->subject}: {$twin->message}", $this->twins);

        foreach ($this->inRedis as $bucket) {
            if ($bucket->error !== null) {
                $remarks[] = "{$bucket->bucket}: {$bucket->error}";
            }
        }

        foreach ($this->nodes as $node) {
            if (self::isLost($node)) {
                $remarks[] = NodesAreSilent::message($node).' '.NodesAreSilent::fix($node);
            } elseif ($node->isSilent()) {
                $remarks[] = "{$node->beat->host} was last seen ".NodesAreSilent::ago($node->seenSeconds)
                    .' ago, with nothing waiting. `spool:forget-node --empty` removes it from this list.';
            }

            foreach ($node->beat->buckets as $bucket) {
                if ($bucket->trouble !== null) {
                    $remarks[] = "{$node->beat->host}, {$bucket->bucket}: {$bucket->trouble}";
                }
            }
        }

        return $remarks;
    }

    /** @return list<BucketStatus> */
    private static function inRedis(SpoolServices $spool): array
    {
        return $spool->stores()->usesRedis()
            ? array_values(array_filter(
                $spool->status()->buckets,
                static fn (BucketStatus $bucket): bool => $bucket->store === 'redis',
            ))
            : [];
    }

    private static function isLost(NodeStatus $node): bool
    {
        return $node->isSilent() && $node->beat->pending() > 0;
    }

    /**
     * @param list<NodeStatus> $all
     * @return list<NodeStatus>
     */
    private static function with(array $all, Heartbeat $own): array
    {
        // This machine was read just now, so it is not silent even if its heartbeats could not be written.
        return [
            ...array_filter($all, static fn (NodeStatus $node): bool => $node->beat->node !== $own->node),
            new NodeStatus($own, 0, 0),
        ];
    }
}
