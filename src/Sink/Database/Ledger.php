<?php

declare(strict_types=1);

namespace Headroom\Sink\Database;

use Headroom\Core\Clock;
use Headroom\Core\Position;
use Headroom\Sink\Database\Dialect\DatabaseError;
use Headroom\Sink\Delivery;
use Headroom\Sink\Progress;
use Headroom\Sink\Source;
use Illuminate\Database\Connection;
use Illuminate\Database\Query\Builder;
use InvalidArgumentException;
use PDO;
use PDOStatement;

/**
 * The ledger table. It has one row per log: the position up to which the log is delivered into this database.
 *
 * @internal
 */
final class Ledger
{
    public const TABLE = 'spool_ledger';

    /** The prepared statement that moves the ledger. The query builder would prepare it in each delivery. */
    private ?PDOStatement $advance = null;

    private ?PDO $preparedBy = null;

    public function __construct(public readonly Connection $connection, private readonly Clock $clock) {}

    /** @throws RefusedByDatabase */
    public function progress(Source $source): ?Progress
    {
        // A replica may lag behind; the writer never does.
        $row = $this->row($source)->useWritePdo()->first(['position', 'delivered', 'dead', 'checksum']);

        if ($row === null) {
            return null;
        }

        try {
            $position = Position::fromString($this->text($row->position));
        } catch (InvalidArgumentException $e) {
            throw RefusedByDatabase::ledgerUnreadable($source, $e->getMessage());
        }

        return new Progress(
            $position,
            $this->count($row->delivered),
            $this->count($row->dead),
            is_string($row->checksum) ? $row->checksum : '',
        );
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

    /** Compare and set: returns false if the row is not at the start of the delivery. */
    public function advance(Delivery $delivery): bool
    {
        $pdo = $this->connection->getPdo();

        if ($this->advance === null || $this->preparedBy !== $pdo) {
            [$this->advance, $this->preparedBy] = [$pdo->prepare($this->advanceSql()), $pdo];
        }

        $values = [
            $delivery->to->toString(), $delivery->checksum, count($delivery->batch), $delivery->dead, $this->now(),
            $delivery->source->node, $delivery->source->bucket, $delivery->from->toString(),
        ];

        foreach ($values as $number => $value) {
            $this->advance->bindValue($number + 1, $value, is_int($value) ? PDO::PARAM_INT : PDO::PARAM_STR);
        }

        $this->advance->execute() || throw DatabaseError::silentFailure($this->advance);

        return $this->advance->rowCount() === 1;
    }

    /** Compare and set: returns false if the row is not at $from, or does not exist. */
    public function move(Source $source, Progress $from, Progress $to): bool
    {
        return $this->row($source)
            ->where('position', $from->position->toString())
            ->where('delivered', $from->delivered)
            ->update([
                'position' => $to->position->toString(),
                'checksum' => $to->checksum,
                'delivered' => $to->delivered,
                'dead' => $to->dead,
                'updated_at' => $this->now(),
            ]) === 1;
    }

    /** Changes only the time of the row, to prove that the database can commit a write. */
    public function touch(Source $source): void
    {
        $this->row($source)->update(['updated_at' => $this->now()]);
    }

    private function advanceSql(): string
    {
        $grammar = $this->connection->getQueryGrammar();
        $to = ['position = ?', 'checksum = ?', 'delivered = delivered + ?', 'dead = dead + ?', 'updated_at = ?'];

        return 'update '.$grammar->wrapTable(self::TABLE).' set '.implode(', ', $to)
            .' where source = ? and bucket = ? and position = ?';
    }

    private function row(Source $source): Builder
    {
        return $this->connection->table(self::TABLE)->where('source', $source->node)->where('bucket', $source->bucket);
    }

    private function text(mixed $value): string
    {
        return is_string($value) ? $value : get_debug_type($value);
    }

    /** @return int<0, max> drivers return a bigint as an integer or as a string */
    private function count(mixed $value): int
    {
        return is_numeric($value) ? max(0, (int) $value) : 0;
    }

    private function now(): string
    {
        return $this->clock->now()->format('Y-m-d H:i:s');
    }
}
