<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\WriteBuffer;

use Closure;
use Illuminate\Database\Connection;
use Illuminate\Database\ConnectionResolverInterface;
use PDO;
use RuntimeException;

/**
 * One turn of counting, on one database:
 *
 *   ours     the Flusher in mode aggregate, from sealed segments to committed sums, with the ledger
 *   written  plain PDO: reads the same calls from NDJSON, one prepared upsert for each, 1,000 in a transaction
 */
final readonly class AggregateTurn
{
    private const TABLE = 'api_usage';

    private const PER_TRANSACTION = 1000;

    /** As in docs/uses/api-metering.md. */
    private const BATCH = 10_000;

    private const WARM_UP = 2000;

    private PDO $pdo;

    public function __construct(
        private ConnectionResolverInterface $connections,
        private string $directory,
        private int $events,
    ) {
        $connection = $connections->connection();
        $this->pdo = $connection instanceof Connection
            ? $connection->getPdo()
            : throw new RuntimeException('The connection is not one of Laravel\'s own.');
    }

    public function prepare(): void
    {
        foreach (['few' => self::WARM_UP, 'all' => $this->events] as $name => $count) {
            $sealed = SealedEvents::make($count, Counts::BUCKET, Counts::event(...));
            $sealed->copyTo("{$this->directory}/{$name}");
            $sealed->remove();
            Counts::writeNdjson("{$this->directory}/{$name}.ndjson", $count);
        }
    }

    /** @return array{seconds: float, isExact: bool} */
    public function take(string $side): array
    {
        $this->work($side, 'few', self::WARM_UP)();
        $this->pdo->exec('delete from '.self::TABLE);
        $work = $this->work($side, 'all', $this->events);
        gc_collect_cycles();
        $start = hrtime(true);
        $work();
        $seconds = (hrtime(true) - $start) / 1e9;
        $counts = $this->pdo->query('select api_key, sum(calls) from '.self::TABLE.' group by api_key order by api_key')
            ->fetchAll(PDO::FETCH_KEY_PAIR);

        return [
            'seconds' => $seconds,
            'isExact' => array_map(intval(...), $counts) === Counts::expected($this->events),
        ];
    }

    /** @return Closure(): void */
    private function work(string $side, string $name, int $count): Closure
    {
        return match ($side) {
            'ours' => (new OurFlush($this->connections, $this->directory))->of($name, $count, Counts::BUCKET, [
                'sink' => 'database',
                'table' => self::TABLE,
                'mode' => 'aggregate',
                'unique' => ['api_key', 'hour'],
                'sum' => ['calls'],
                'batch' => self::BATCH,
            ]),
            'written' => fn () => $this->written("{$this->directory}/{$name}.ndjson"),
            default => throw new RuntimeException("There is no side {$side}."),
        };
    }

    /** Prepared once, with many statements in a transaction, as careful code has it. */
    private function written(string $path): void
    {
        $isMysql = $this->pdo->getAttribute(PDO::ATTR_DRIVER_NAME) === 'mysql';
        $add = $this->pdo->prepare($isMysql
            ? 'insert into '.self::TABLE
                .' (api_key, hour, calls) values (?, ?, ?) on duplicate key update calls = calls + values(calls)'
            : 'insert into '.self::TABLE
                .' (api_key, hour, calls) values (?, ?, ?) on conflict (api_key, hour) do update set calls = '
                .self::TABLE.'.calls + excluded.calls');
        $file = fopen($path, 'r') ?: throw new RuntimeException("{$path} cannot be read.");
        $held = 0;

        while (($line = fgets($file)) !== false) {
            $held === 0 && $this->pdo->beginTransaction();
            $add->execute(json_decode($line, true, flags: JSON_THROW_ON_ERROR));

            if (++$held === self::PER_TRANSACTION) {
                $this->pdo->commit();
                $held = 0;
            }
        }

        $held > 0 && $this->pdo->commit();
        fclose($file);
    }
}
