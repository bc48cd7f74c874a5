<?php

declare(strict_types=1);

namespace Headroom\Laravel\Http\Dashboard\Data;

use Headroom\Laravel\Text\Sentences;
use Headroom\Spool\Alerts\AlertRules;
use Headroom\Spool\Health\NodesAreSilent;
use Headroom\Spool\Monitoring\NodeStatus;
use Headroom\Spool\Services\SpoolServices;
use Throwable;

/**
 * The last heartbeats of all machines. The table is in the database, so this can fail alone.
 *
 * @internal
 */
final readonly class NodesDocument
{
    public function __construct(private SpoolServices $spool) {}

    /** @return array<string, mixed> */
    public function toArray(): array
    {
        try {
            $table = $this->spool->nodes();
            $nodes = $table?->all();
        } catch (Throwable $e) {
            return self::without('unavailable', Sentences::shown(
                "The table spool_nodes cannot be read: {$e->getMessage()}",
            ));
        }

        return match (true) {
            $table === null => self::without('off', 'Heartbeats are turned off: spool.heartbeats is false.'),
            $nodes === null => self::without('off', Sentences::withCommands(
                'There is no table spool_nodes. Run `spool:install`, then `migrate`.',
            )),
            default => $this->of($nodes),
        };
    }

    /**
     * @param list<NodeStatus> $all
     * @return array<string, mixed>
     */
    private function of(array $all): array
    {
        $own = $this->spool->isUntouched() ? null : $this->spool->store()->node();

        return [
            'state' => 'ok',
            'detail' => null,
            'nodes' => array_map(
                static fn (NodeStatus $node): array => [...$node->toArray(), 'this' => $node->beat->node === $own],
                NodesAreSilent::latest($all),
            ),
            'alerts' => array_map(NowDocument::alert(...), (new AlertRules($this->spool))->ofNodes($all)),
        ];
    }

    /** @return array<string, mixed> */
    private static function without(string $state, string $detail): array
    {
        return ['state' => $state, 'detail' => $detail, 'nodes' => [], 'alerts' => []];
    }
}
