<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Queues;

use Headroom\Bench\Paired;
use Headroom\Bench\Samples;
use Headroom\Core\Clock;
use Headroom\Host\Daemon;
use Headroom\Host\Launch;
use Headroom\Host\Servers\BeanstalkdServer;
use Headroom\Host\Servers\MariaDbServer;
use Headroom\Host\Servers\PostgresServer;
use Headroom\Host\Servers\RedisServer;
use Headroom\Host\Signal;
use Headroom\Host\Stoppable;
use Headroom\Host\TemporaryDirectory;
use RuntimeException;

/**
 * The benchmark against itself: the same servers and the same application, measured in turns by headroom:bench and by somebody who starts
 * queue:work by hand and looks at the queue until it is empty.
 */
final readonly class ByHand
{
    private const QUEUE = 'by-hand';

    /** Until workers that were started are in their loop. */
    private const BOOT_MICROS = 3_000_000;

    public function __construct(private int $workers, private int $rounds, private float $seconds, private Clock $clock) {}

    /** @return list<array<string, mixed>> a row for each driver */
    public function run(): array
    {
        return array_map($this->driver(...), ['redis', 'beanstalkd', 'database:mariadb', 'database:pgsql', 'database:sqlite']);
    }

    /** @return array<string, mixed> */
    private function driver(string $name): array
    {
        $directory = TemporaryDirectory::create('by-hand');
        [$server, $connection, $env] = $this->server($name, $directory);
        $artisan = new Artisan($env);

        try {
            $connection === 'database' ? $artisan->run('migrate', '--force') : null;
            // Short runs have much of their beginning in them.
            $workers = $name === 'database:sqlite' && PHP_VERSION_ID < 80_400 ? 1 : $this->workers;
            $jobs = max(1_000, (int) ($this->bench($artisan, $connection, 2_000, $workers) * $this->seconds * 1.2));
            $ours = $theirs = [];

            for ($round = 1; $round <= $this->rounds; $round++) {
                $ours[] = $this->bench($artisan, $connection, $jobs, $workers);
                $theirs[] = $this->hand($artisan, $connection, $jobs, $workers);
                fwrite(STDERR, sprintf("%s, round %d of %d: %.0f jobs/s, by hand %.0f\n", $name, $round, $this->rounds, $ours[$round - 1], $theirs[$round - 1]));
            }
        } finally {
            $server?->stop();
            $artisan->remove();
            $directory->remove();
        }

        return $this->row($name, $jobs, $ours, $theirs);
    }

    /**
     * @param non-empty-list<float> $ours
     * @param non-empty-list<float> $theirs
     * @return array<string, mixed>
     */
    private function row(string $name, int $jobs, array $ours, array $theirs): array
    {
        $hand = new Samples($theirs);
        $median = (new Samples($ours))->median();

        return [
            'driver' => $name,
            'jobs' => $jobs,
            'bench' => array_map(static fn (float $rate): float => round($rate, 1), $ours),
            'by_hand' => array_map(static fn (float $rate): float => round($rate, 1), $theirs),
            'compared' => Paired::of($theirs, $ours)->toArray(),
            'within_iqr' => $median >= $hand->quantile(0.25) && $median <= $hand->quantile(0.75),
            'difference_seen' => Paired::of($theirs, $ours)->isSeen(),
        ];
    }

    /** Jobs per second. */
    private function bench(Artisan $artisan, string $connection, int $jobs, int $workers): float
    {
        $document = $artisan->json('headroom:bench', 'queues', "--drivers={$connection}", "--jobs={$jobs}", '--seconds=0', '--runs=1', "--workers={$workers}");
        $rate = $document['scenarios']['empty'][0]['jobs_per_s'] ?? null;

        return is_int($rate) || is_float($rate) ? (float) $rate : throw new RuntimeException("{$connection} has no valid run: ".json_encode($document['scenarios']['empty'][0]['outcomes'][0]['faults'] ?? null));
    }

    private function hand(Artisan $artisan, string $connection, int $jobs, int $workers): float
    {
        $artisan->run('down');
        $crew = [];

        try {
            for ($number = 1; $number <= $workers; $number++) {
                $crew[] = Daemon::start(new Launch('queue:work', [PHP_BINARY, Artisan::path(), 'queue:work', $connection, '--queue='.self::QUEUE, '--sleep=0.05'], $artisan->log($number), [...getenv(), ...$artisan->env()], [Signal::Kill]), $this->clock);
            }

            $this->clock->sleep(self::BOOT_MICROS);

            return $jobs / (float) trim($artisan->output([PHP_BINARY, dirname(__DIR__).'/hand.php', $connection, self::QUEUE, (string) $jobs]));
        } finally {
            foreach ($crew as $worker) {
                $worker->stop();
            }
        }
    }

    /** @return array{?Stoppable, string, array<string, string>} what to stop, the queue connection, and what the application has to know */
    private function server(string $name, TemporaryDirectory $directory): array
    {
        $database = static fn (string $driver, MariaDbServer|PostgresServer $server): array => [$server, 'database', ['DB_CONNECTION' => $driver, 'DB_HOST' => '127.0.0.1', 'DB_PORT' => (string) $server->port, 'DB_DATABASE' => $server->database, 'DB_USERNAME' => $server->username, 'DB_PASSWORD' => $server->password]];

        return match ($name) {
            'redis' => [$server = RedisServer::start($this->clock), 'redis', ['REDIS_HOST' => '127.0.0.1', 'REDIS_PORT' => (string) $server->port]],
            'beanstalkd' => [$server = BeanstalkdServer::start($this->clock), 'beanstalkd', ['BEANSTALKD_QUEUE_HOST' => '127.0.0.1', 'BEANSTALKD_QUEUE_PORT' => (string) $server->port]],
            'database:mariadb' => $database('mariadb', MariaDbServer::start($this->clock)),
            'database:pgsql' => $database('pgsql', PostgresServer::start($this->clock)),
            default => [null, 'database', ['DB_CONNECTION' => 'sqlite', 'DB_DATABASE' => $directory->write('jobs.sqlite', ''), 'DB_JOURNAL_MODE' => 'WAL', 'DB_BUSY_TIMEOUT' => '60000', 'DB_SYNCHRONOUS' => 'FULL', 'DB_TRANSACTION_MODE' => 'IMMEDIATE']],
        };
    }
}
