<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\WriteBuffer;

use PDO;
use RuntimeException;
use Workbench\Rig\PageViews;

/**
 * The ids of all events that were answered with success, to be looked up in the table afterwards.
 */
final class AcknowledgedEvents
{
    /** @var array<string, true> */
    private array $ids = [];

    public function __construct(private readonly PDO $direct) {}

    public function add(PageViews $events): void
    {
        $this->ids += $events->acknowledged;
    }

    /** @return array<string, int> how many rows each id has */
    public function copies(): array
    {
        return $this->pairs('select seq, count(*) as copies from page_views group by seq');
    }

    /** @return array<string, int> */
    public function pairs(string $sql): array
    {
        $statement = $this->direct->query($sql);

        return $statement === false
            ? throw new RuntimeException("No server answers: {$sql}")
            : array_map(intval(...), $statement->fetchAll(PDO::FETCH_KEY_PAIR));
    }

    /**
     * @param array<string, int> $copies
     * @return array{lost: int, double: int, acknowledged: int}
     */
    public function found(array $copies): array
    {
        return [
            'lost' => count(array_diff_key($this->ids, $copies)),
            'double' => count(array_filter($copies, static fn (int $n): bool => $n > 1)),
            'acknowledged' => count($this->ids),
        ];
    }
}
