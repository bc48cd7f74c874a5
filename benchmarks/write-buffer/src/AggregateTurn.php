<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\WriteBuffer;

use Closure;
use PDO;
use RuntimeException;

/**
 * A turn of counting, in mode aggregate, against
 *
 *   written  plain PDO: reads the same calls from NDJSON, one prepared upsert for each, 1,000 in a transaction
 */
final readonly class AggregateTurn extends Turn
{
    private const TABLE = 'api_usage';

    private const PER_TRANSACTION = 1000;

    /** As in docs/uses/api-metering.md. */
    private const BATCH = 10_000;

    protected function event(int $n): array
    {
        return Counts::event($n);
    }

    protected function plain(int $n): array
    {
        return Counts::plain($n);
    }

    protected function options(): array
    {
        return [
            'sink' => 'database',
            'table' => self::TABLE,
            'mode' => 'aggregate',
            'unique' => ['api_key', 'hour'],
            'sum' => ['calls'],
            'batch' => self::BATCH,
        ];
    }

    protected function other(string $side, string $ndjson, int $count): Closure
    {
        return $side === 'written'
            ? fn () => $this->written($this->lines($ndjson))
            : throw new RuntimeException("There is no side {$side}.");
    }

    protected function contents(): array
    {
        $counts = array_map(intval(...), $this->pdo
            ->query('select api_key, sum(calls) from '.self::TABLE.' group by api_key order by api_key')
            ->fetchAll(PDO::FETCH_KEY_PAIR));

        return $counts === Counts::expected($this->events)
            ? $counts
            : throw new RuntimeException('The counts are not those of the events.');
    }

    /**
     * Prepared once, with many statements in a transaction, as careful code has it.
     *
     * @param iterable<array<scalar|null>> $calls
     */
    private function written(iterable $calls): void
    {
        $isMysql = $this->pdo->getAttribute(PDO::ATTR_DRIVER_NAME) === 'mysql';
        $add = $this->pdo->prepare($isMysql
            ? 'insert into '.self::TABLE
                .' (api_key, hour, calls) values (?, ?, ?) on duplicate key update calls = calls + values(calls)'
            : 'insert into '.self::TABLE
                .' (api_key, hour, calls) values (?, ?, ?) on conflict (api_key, hour) do update set calls = '
                .self::TABLE.'.calls + excluded.calls');
        $held = 0;

        foreach ($calls as $call) {
            $held === 0 && $this->pdo->beginTransaction();
            $add->execute($call);

            if (++$held === self::PER_TRANSACTION) {
                $this->pdo->commit();
                $held = 0;
            }
        }

        $held > 0 && $this->pdo->commit();
    }
}
