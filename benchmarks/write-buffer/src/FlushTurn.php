<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\WriteBuffer;

use Closure;
use Illuminate\Database\Connection;
use Illuminate\Database\ConnectionResolverInterface;
use PDO;
use RuntimeException;

/**
 * One turn of a flush against hand-written inserts, on one database:
 *
 *   ours     the Flusher through the Laravel sink, from sealed segments to committed rows, with the ledger
 *   written  plain PDO: reads the same events from NDJSON, decodes them, one prepared insert of
 *            1,000 rows per transaction
 *   builder  the same with Laravel's query builder
 *   memory   as written, of rows that are arrays in memory already
 *
 * All use one connection, so the driver's settings are the same, and one table, which is emptied before each.
 */
final readonly class FlushTurn
{
    private const TABLE = 'page_views';

    private const BATCH = 1000;

    private const WARM_UP = 2000;

    private Connection $connection;

    private PDO $pdo;

    public function __construct(
        private ConnectionResolverInterface $connections,
        private string $directory,
        private int $events,
    ) {
        $connection = $connections->connection();
        $this->connection = $connection instanceof Connection
            ? $connection
            : throw new RuntimeException('The connection is not one of Laravel\'s own.');
        $this->pdo = $this->connection->getPdo();
    }

    /** Prepares the turns: the same events in a buffer and as NDJSON, and some for the warm-up. */
    public function prepare(): void
    {
        foreach (['few' => self::WARM_UP, 'all' => $this->events] as $name => $count) {
            $sealed = SealedEvents::make($count);
            $sealed->copyTo("{$this->directory}/{$name}");
            $sealed->remove();
            Events::writeNdjson("{$this->directory}/{$name}.ndjson", $count);
        }
    }

    /**
     * @return array{seconds: float, cpu: float, contents: array<string, mixed>} CPU of this process, which other load
     *     of the machine stretches less
     */
    public function take(string $side): array
    {
        $this->work($side, 'few', self::WARM_UP)();
        $this->pdo->exec(
            $this->pdo->getAttribute(PDO::ATTR_DRIVER_NAME) === 'sqlite'
                ? 'delete from '.self::TABLE
                : 'truncate table '.self::TABLE,
        );
        $work = $this->work($side, 'all', $this->events);
        gc_collect_cycles();
        $cpu = $this->cpuSeconds();
        $start = hrtime(true);
        $work();

        return [
            'seconds' => (hrtime(true) - $start) / 1e9,
            'cpu' => $this->cpuSeconds() - $cpu,
            'contents' => $this->contents(),
        ];
    }

    /** @return Closure(): mixed */
    private function work(string $side, string $name, int $count): Closure
    {
        $ndjson = "{$this->directory}/{$name}.ndjson";

        if ($side === 'memory') {
            $rows = array_map(Events::plain(...), range(0, $count - 1));

            return fn () => $this->written($rows);
        }

        return match ($side) {
            'ours' => (new OurFlush($this->connections, $this->directory))->of($name, $count, SealedEvents::BUCKET, [
                'sink' => 'database',
                'table' => self::TABLE,
                'batch' => self::BATCH,
            ]),
            'written' => fn () => $this->written($this->lines($ndjson)),
            'builder' => fn () => $this->built($this->lines($ndjson)),
            default => throw new RuntimeException("There is no side {$side}."),
        };
    }

    private function cpuSeconds(): float
    {
        $usage = getrusage() ?: throw new RuntimeException('getrusage() failed.');

        return $usage['ru_utime.tv_sec'] + $usage['ru_stime.tv_sec']
            + ($usage['ru_utime.tv_usec'] + $usage['ru_stime.tv_usec']) / 1e6;
    }

    /** @return iterable<array<string, scalar|null>> */
    private function lines(string $path): iterable
    {
        $file = fopen($path, 'r') ?: throw new RuntimeException("{$path} cannot be read.");
        while (($line = fgets($file)) !== false) {
            yield json_decode($line, true, flags: JSON_THROW_ON_ERROR);
        }

        fclose($file);
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

    /** @return array<string, mixed> figures that are equal for tables with the same rows */
    private function contents(): array
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

        return $this->pdo->query(
            'select count(*) as number, count(distinct seq) as seqs, sum(status) as status, sum(bytes) as bytes, '
                .'sum(length(path)) as paths, '.$lengths.' from '.self::TABLE,
        )
            ->fetch(PDO::FETCH_ASSOC);
    }
}
