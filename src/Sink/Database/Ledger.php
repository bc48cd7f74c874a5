<?php

declare(strict_types=1);

namespace Headroom\Sink\Database;

use Headroom\Core\Clock;
use Headroom\Core\Position;
use Headroom\Sink\Delivery;
use Headroom\Sink\Progress;
use Headroom\Sink\Source;
use Illuminate\Database\Connection;
use Illuminate\Database\Query\Builder;
use InvalidArgumentException;

/**
 * One row per log: how far it has been delivered into this database.
 *
 * @internal
 */
final readonly class Ledger
{
    public const TABLE = 'spool_ledger';

    public function __construct(private Connection $connection, private Clock $clock) {}

    /** @throws RefusedByDatabase */
    public function progress(Source $source): ?Progress
    {
        // A replica may lag behind; the writer never does.
        $row = $this->row($source)->useWritePdo()->first(['position', 'delivered', 'dead']);

        if ($row === null) {
            return null;
        }

        try {
            $position = Position::fromString($this->text($row->position));
        } catch (InvalidArgumentException $e) {
            throw RefusedByDatabase::ledgerUnreadable($source, $e->getMessage());
        }

        return new Progress($position, $this->count($row->delivered), $this->count($row->dead));
    }

    public function register(Source $source): void
    {
        $this->connection->table(self::TABLE)->insertOrIgnore([
            'source' => $source->node,
            'bucket' => $source->bucket,
            'position' => Position::start()->toString(),
            'delivered' => 0,
            'dead' => 0,
            'updated_at' => $this->now(),
        ]);
    }

    /** Compare and set: false when the row is not where the delivery begins. */
    public function advance(Delivery $delivery): bool
    {
        $changed = $this->row($delivery->source)
            ->where('position', $delivery->from->toString())
            ->incrementEach(['delivered' => count($delivery->batch), 'dead' => $delivery->dead], [
                'position' => $delivery->to->toString(),
                'updated_at' => $this->now(),
            ]);

        return $changed === 1;
    }

    /** Compare and set, too: false when the row is not at $from, or not there. */
    public function move(Source $source, Progress $from, Progress $to): bool
    {
        return $this->row($source)->where('position', $from->position->toString())->where('delivered', $from->delivered)->update([
            'position' => $to->position->toString(),
            'delivered' => $to->delivered,
            'dead' => $to->dead,
            'updated_at' => $this->now(),
        ]) === 1;
    }

    private function row(Source $source): Builder
    {
        return $this->connection->table(self::TABLE)->where('source', $source->node)->where('bucket', $source->bucket);
    }

    private function text(mixed $value): string
    {
        return is_string($value) ? $value : get_debug_type($value);
    }

    /** @return int<0, max> PostgreSQL's and MySQL's drivers give a bigint as they like */
    private function count(mixed $value): int
    {
        return is_numeric($value) ? max(0, (int) $value) : 0;
    }

    private function now(): string
    {
        return $this->clock->now()->format('Y-m-d H:i:s');
    }
}
