<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\WriteBuffer;

use Closure;
use PDO;
use RuntimeException;

/**
 * A turn of a flush against hand-written inserts:
 *
 *   written  plain PDO: reads the same events from NDJSON, decodes them, one prepared insert of
 *            1,000 rows per transaction
 *   builder  the same with Laravel's query builder
 *   memory   as written, of rows that are arrays in memory already
 */
final readonly class FlushTurn extends Turn
{
    private const TABLE = 'page_views';

    private const BATCH = 1000;

    protected function event(int $n): array
    {
        return Events::row($n);
    }

    protected function plain(int $n): array
    {
        return Events::plain($n);
    }

    protected function options(): array
    {
        return ['sink' => 'database', 'table' => self::TABLE, 'batch' => self::BATCH];
    }

    protected function other(string $side, string $ndjson, int $count): Closure
    {
        if ($side === 'memory') {
            $rows = array_map(Events::plain(...), range(0, $count - 1));

            return fn () => $this->written($rows);
        }

        return match ($side) {
            'written' => fn () => $this->written($this->lines($ndjson)),
            'builder' => fn () => $this->built($this->lines($ndjson)),
            default => throw new RuntimeException("There is no side {$side}."),
        };
    }

    protected function contents(): array
    {
        $columns = array_diff(array_keys(Events::plain(0)), ['status', 'bytes']);
        $lengths = implode(
            ', ',
            array_map(
                static fn (string $column): string
                    => "min({$column}) as min_{$column}, max({$column}) as max_{$column}",
                $columns,
            ),
        );

        $contents = $this->pdo->query(
            'select count(*) as number, count(distinct seq) as seqs, sum(status) as status, sum(bytes) as bytes, '
                .'sum(length(path)) as paths, '.$lengths.' from '.self::TABLE,
        )
            ->fetch(PDO::FETCH_ASSOC);

        return (int) $contents['number'] === $this->events
            ? $contents
            : throw new RuntimeException("The table has {$contents['number']} rows of {$this->events} events.");
    }

    /** @param iterable<array<string, scalar|null>> $rows with the query builder, as most code does */
    private function built(iterable $rows): void
    {
        $chunk = [];
        $insert = function (array $chunk): void {
            $this->connection->transaction(fn () => $this->connection->table(self::TABLE)->insert($chunk));
        };

        foreach ($rows as $row) {
            $chunk[] = $row;

            if (count($chunk) === self::BATCH) {
                $insert($chunk);
                $chunk = [];
            }
        }

        if ($chunk !== []) {
            $insert($chunk);
        }
    }

    /** @param iterable<array<string, scalar|null>> $rows all with the same columns */
    private function written(iterable $rows): void
    {
        $columns = array_keys(Events::plain(0));
        $marks = '('.implode(', ', array_fill(0, count($columns), '?')).')';
        $sql = 'insert into '.self::TABLE.' ('.implode(', ', $columns).') values ';
        $insert = $this->pdo->prepare($sql.implode(', ', array_fill(0, self::BATCH, $marks)));
        [$values, $held] = [[], 0];

        foreach ($rows as $row) {
            foreach ($row as $value) {
                $values[] = $value;
            }

            if (++$held === self::BATCH) {
                $this->pdo->beginTransaction();
                $insert->execute($values);
                $this->pdo->commit();
                [$values, $held] = [[], 0];
            }
        }

        if ($held > 0) {
            $this->pdo->beginTransaction();
            $this->pdo->prepare($sql.implode(', ', array_fill(0, $held, $marks)))->execute($values);
            $this->pdo->commit();
        }
    }
}
