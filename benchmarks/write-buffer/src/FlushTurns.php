<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\WriteBuffer;

use Headroom\Core\SystemClock;
use Headroom\Laravel\LaravelSinks;
use Headroom\Spool\Runtime;
use Headroom\Spool\SpoolConfig;
use Illuminate\Database\Connection;
use Illuminate\Database\ConnectionResolverInterface;
use PDO;
use RuntimeException;

/**
 * The turns of flush.php on one database.
 */
final readonly class FlushTurns
{
    private const TABLE = 'page_views';

    private const BATCH = 1000;

    private PDO $pdo;

    public function __construct(private ConnectionResolverInterface $connections, private string $directory, private int $events)
    {
        $connection = $connections->connection();
        $this->pdo = $connection instanceof Connection ? $connection->getPdo() : throw new RuntimeException('The connection is none of Laravel\'s own.');
    }

    /** @return array{per_second: array<string, list<float>>, cpu_micros: array<string, list<float>>} rows per second and this process's CPU time per row, by side, one per round */
    public function run(int $rounds): array
    {
        $sealed = SealedEvents::make($this->events);
        $ndjson = "{$this->directory}/events.ndjson";
        Events::writeNdjson($ndjson, $this->events);
        $sides = ['ours', 'written', 'memory'];
        $figures = ['per_second' => array_fill_keys($sides, []), 'cpu_micros' => array_fill_keys($sides, [])];
        $expected = null;

        try {
            // The first round warms the server up and is not counted.
            for ($round = 0; $round <= $rounds; $round++) {
                $turns = [...array_slice($sides, $round % 3), ...array_slice($sides, 0, $round % 3)];

                // None always comes after the same other one, which leaves it the memory as it was.
                foreach ($round % 2 === 0 ? $turns : array_reverse($turns) as $side) {
                    [$seconds, $cpu] = match ($side) {
                        'ours' => $this->ours($sealed, "{$this->directory}/ours-{$round}"),
                        'written' => $this->timed(fn () => $this->written($this->lines($ndjson))),
                        'memory' => $this->memory(),
                    };

                    $found = $this->contents();
                    $expected ??= $found;

                    if ($found !== $expected || (int) $found['number'] !== $this->events) {
                        throw new RuntimeException("The rows of side {$side} are not the others': ".json_encode([$expected, $found]));
                    }

                    if ($round > 0) {
                        $figures['per_second'][$side][] = $this->events / $seconds;
                        $figures['cpu_micros'][$side][] = $cpu * 1e6 / $this->events;
                    }
                }
            }
        } finally {
            $sealed->remove();
        }

        return $figures;
    }

    /** @return array{float, float} */
    private function ours(SealedEvents $sealed, string $root): array
    {
        $sealed->copyTo($root);
        $clock = new SystemClock;
        $config = SpoolConfig::fromArray(['path' => $root, 'buckets' => [SealedEvents::BUCKET => ['sink' => 'database', 'table' => self::TABLE, 'batch' => self::BATCH]]]);
        $runtime = new Runtime(static fn (): SpoolConfig => $config, fn (): LaravelSinks => new LaravelSinks($this->connections, $clock), $clock);

        return $this->timed(function () use ($runtime): void {
            $report = $runtime->flusher()->flush(SealedEvents::BUCKET);

            if ($report->failure !== null || $report->delivered !== $this->events) {
                throw new RuntimeException("The flush delivered {$report->delivered} of {$this->events}.", previous: $report->failure);
            }
        });
    }

    /** @return array{float, float} */
    private function memory(): array
    {
        $rows = array_map(Events::plain(...), range(0, $this->events - 1));

        return $this->timed(fn () => $this->written($rows));
    }

    /** @return array{float, float} seconds, and seconds of CPU in this process: what others do on the machine does not stretch the latter so much */
    private function timed(callable $work): array
    {
        $this->pdo->exec($this->pdo->getAttribute(PDO::ATTR_DRIVER_NAME) === 'sqlite' ? 'delete from '.self::TABLE : 'truncate table '.self::TABLE);
        gc_collect_cycles();
        $cpu = $this->cpuSeconds();
        $start = hrtime(true);
        $work();

        return [(hrtime(true) - $start) / 1e9, $this->cpuSeconds() - $cpu];
    }

    private function cpuSeconds(): float
    {
        $usage = getrusage() ?: throw new RuntimeException('getrusage() failed.');

        return $usage['ru_utime.tv_sec'] + $usage['ru_stime.tv_sec'] + ($usage['ru_utime.tv_usec'] + $usage['ru_stime.tv_usec']) / 1e6;
    }

    /** @return iterable<array<string, scalar|null>> */
    private function lines(string $path): iterable
    {
        $file = fopen($path, 'r') ?: throw new RuntimeException("{$path} can not be read.");
        while (($line = fgets($file)) !== false) {
            yield json_decode($line, true, flags: JSON_THROW_ON_ERROR);
        }

        fclose($file);
    }

    /** @param iterable<array<string, scalar|null>> $rows as somebody writes it who knows that all rows have the same columns */
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

    /** @return array<string, mixed> what two tables have in common when they hold the same rows */
    private function contents(): array
    {
        $columns = array_diff(array_keys(Events::plain(0)), ['status', 'bytes']);
        $lengths = implode(', ', array_map(static fn (string $column): string => "min({$column}) as min_{$column}, max({$column}) as max_{$column}", $columns));

        return $this->pdo->query('select count(*) as number, count(distinct seq) as seqs, sum(status) as status, sum(bytes) as bytes, sum(length(path)) as paths, '.$lengths.' from '.self::TABLE)->fetch(PDO::FETCH_ASSOC);
    }
}
