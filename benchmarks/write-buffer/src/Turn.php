<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\WriteBuffer;

use Closure;
use Illuminate\Database\Connection;
use Illuminate\Database\ConnectionResolverInterface;
use PDO;
use RuntimeException;

/**
 * One turn of a side, on one database: `ours` is the Flusher through the Laravel sink, from sealed segments to
 * committed rows, with the ledger; a subclass has the others. All use one connection, so the driver's settings are the
 * same, and one table, which is emptied before each.
 */
abstract readonly class Turn
{
    private const WARM_UP = 2000;

    protected Connection $connection;

    protected PDO $pdo;

    public function __construct(
        private ConnectionResolverInterface $connections,
        private string $directory,
        protected int $events,
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
            $sealed = SealedEvents::make($count, $this->event(...));
            $sealed->copyTo("{$this->directory}/{$name}");
            $sealed->remove();
            $file = fopen("{$this->directory}/{$name}.ndjson", 'w');

            for ($n = 0; $n < $count; $n++) {
                fwrite($file, json_encode($this->plain($n), JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES)."\n");
            }

            fclose($file);
        }
    }

    /**
     * @return array{seconds: float, cpu: float, contents: array<string, mixed>} CPU of this process, which other load
     *     of the machine stretches less
     */
    public function take(string $side): array
    {
        $table = $this->options()['table'];
        $this->work($side, 'few', self::WARM_UP)();
        $this->pdo->exec(
            $this->pdo->getAttribute(PDO::ATTR_DRIVER_NAME) === 'sqlite'
                ? "delete from {$table}"
                : "truncate table {$table}",
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

    /** @return array<string, mixed> the event of a request */
    abstract protected function event(int $n): array;

    /** @return array<scalar|null> the same as text for a known table */
    abstract protected function plain(int $n): array;

    /** @return array{table: string, ...} of the bucket */
    abstract protected function options(): array;

    /** @return Closure(): mixed the work of another side, timed by the caller */
    abstract protected function other(string $side, string $ndjson, int $count): Closure;

    /**
     * @return array<string, mixed> figures that are equal for tables with the same rows
     *
     * @throws RuntimeException when the table does not have all events
     */
    abstract protected function contents(): array;

    /** @return iterable<array<scalar|null>> */
    protected function lines(string $path): iterable
    {
        $file = fopen($path, 'r') ?: throw new RuntimeException("{$path} cannot be read.");
        while (($line = fgets($file)) !== false) {
            yield json_decode($line, true, flags: JSON_THROW_ON_ERROR);
        }

        fclose($file);
    }

    /** @return Closure(): mixed */
    private function work(string $side, string $name, int $count): Closure
    {
        return $side === 'ours'
            ? (new OurFlush($this->connections, $this->directory))->of($name, $count, $this->options())
            : $this->other($side, "{$this->directory}/{$name}.ndjson", $count);
    }

    private function cpuSeconds(): float
    {
        $usage = getrusage() ?: throw new RuntimeException('getrusage() failed.');

        return $usage['ru_utime.tv_sec'] + $usage['ru_stime.tv_sec']
            + ($usage['ru_utime.tv_usec'] + $usage['ru_stime.tv_usec']) / 1e6;
    }
}
