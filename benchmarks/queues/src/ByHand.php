<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Queues;

use Headroom\Bench\PairedComparison;
use Headroom\Bench\Queues\Durability;
use Headroom\Bench\Queues\Results\FaultKind;
use Headroom\Bench\Queues\Results\Finding;
use Headroom\Bench\Queues\Run\CpuTimes;
use Headroom\Bench\Queues\Run\MachineProbe;
use Headroom\Bench\Queues\Run\StabilityCheck;
use Headroom\Bench\Samples;
use Headroom\Bench\Servers\BeanstalkdServer;
use Headroom\Bench\Servers\MariaDbServer;
use Headroom\Bench\Servers\PostgresServer;
use Headroom\Bench\Servers\RedisServer;
use Headroom\Core\Clock;
use Headroom\Process\ChildProcess;
use Headroom\Process\ProcessOptions;
use Headroom\Process\Signal;
use Headroom\Process\Stoppable;
use Headroom\Process\TemporaryDirectory;
use RuntimeException;

/**
 * The benchmark against itself: the same servers and the same application, measured in turns by the benchmark and by
 * hand, with queue:work and looks at the queue until it is empty.
 */
final readonly class ByHand
{
    private const QUEUE = 'by-hand';

    /** Until started workers are in their loop. */
    private const BOOT_MICROS = 3_000_000;

    public function __construct(
        private int $workers,
        private int $rounds,
        private float $seconds,
        private Clock $clock,
    ) {}

    /** @return list<array<string, mixed>> a row for each driver */
    public function run(): array
    {
        return array_map(
            $this->driver(...),
            ['redis', 'beanstalkd', 'database:mariadb', 'database:pgsql', 'database:sqlite'],
        );
    }

    /** @return array<string, mixed> */
    private function driver(string $name): array
    {
        $directory = TemporaryDirectory::create('by-hand');
        [$server, $connection, $env] = $this->server($name, $directory);
        $artisan = new Artisan($env);

        try {
            $connection === 'database' ? $artisan->run('migrate', '--force') : null;
            // The start of the workers is a large share of short runs.
            $workers = $name === 'database:sqlite' && PHP_VERSION_ID < 80_400 ? 1 : $this->workers;
            $jobs = max(
                1_000,
                (int) (($this->bench($artisan, $connection, 2_000, $workers) ?? 0.0) * $this->seconds * 1.2),
            );
            $ours = $theirs = [];

            for ($try = 1; count($ours) < $this->rounds && $try <= Finding::TRIES * $this->rounds; $try++) {
                $sides = [
                    fn (): ?float => $this->bench($artisan, $connection, $jobs, $workers),
                    fn (): ?float => $this->hand($artisan, $connection, $jobs, $workers, $directory),
                ];
                // Each side is first equally often.
                [$first, $second] = $try % 2 === 1 ? $sides : array_reverse($sides);
                $seen = [$first(), $second()];
                [$bench, $hand] = $try % 2 === 1 ? $seen : array_reverse($seen);
                fwrite(
                    STDERR,
                    sprintf(
                        "%s, round %d of %d: %s jobs/s, by hand %s\n",
                        $name,
                        count($ours) + 1,
                        $this->rounds,
                        $bench ?? 'not counted',
                        $hand ?? 'not counted',
                    ),
                );

                // A run that the machine slowed down makes no pair.
                if ($bench !== null && $hand !== null) {
                    [$ours[], $theirs[]] = [$bench, $hand];
                }
            }

            if ($ours === []) {
                throw new RuntimeException(
                    "{$name}: other virtual machines had the CPUs in each round. Measure it when they do not.",
                );
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
            'compared' => PairedComparison::of($theirs, $ours)->toArray(),
            'within_iqr' => $median >= $hand->quantile(0.25) && $median <= $hand->quantile(0.75),
            'difference_seen' => PairedComparison::of($theirs, $ours)->isSeen(),
        ];
    }

    /** Jobs per second; null if the machine was slower in each try. */
    private function bench(Artisan $artisan, string $connection, int $jobs, int $workers): ?float
    {
        $document = $artisan->json(
            'headroom:bench:queues',
            "--drivers={$connection}",
            "--jobs={$jobs}",
            '--seconds=0',
            '--runs=1',
            "--workers={$workers}",
        );
        $finding = $document['scenarios']['empty'][0] ?? [];
        $rate = $finding['jobs_per_s'] ?? null;
        $faults = array_merge(...array_column($finding['outcomes'] ?? [], 'faults'));

        return match (true) {
            is_int($rate) || is_float($rate) => (float) $rate,
            $faults !== [] && array_diff(array_column($faults, 'fault'), [FaultKind::Throttled->value]) === [] => null,
            default => throw new RuntimeException("{$connection} has no valid run: ".json_encode($faults)),
        };
    }

    /** Like {@see bench()}, with the same rule for slow machines. */
    private function hand(
        Artisan $artisan,
        string $connection,
        int $jobs,
        int $workers,
        TemporaryDirectory $directory,
    ): ?float {
        $probe = new MachineProbe($directory->file('probe'), $this->clock);
        // As the benchmark does: servers step over deleted rows of a queue with the same name until they are
        // vacuumed.
        $queue = self::QUEUE.'-'.bin2hex(random_bytes(4));
        $artisan->run('down');
        $processes = [];

        try {
            for ($number = 1; $number <= $workers; $number++) {
                $processes[] = ChildProcess::start(
                    new ProcessOptions(
                        'queue:work',
                        [PHP_BINARY, Artisan::path(), 'queue:work', $connection, "--queue={$queue}", '--sleep=0.01'],
                        $artisan->log($number),
                        [...getenv(), ...$artisan->env()],
                        [Signal::Kill],
                    ),
                    $this->clock,
                );
            }

            $this->clock->sleep(self::BOOT_MICROS);
            $before = $cpu = null;
            $seconds = $artisan->inTwoSteps(
                [PHP_BINARY, dirname(__DIR__).'/hand.php', $connection, $queue, (string) $jobs],
                function () use ($probe, &$before, &$cpu): void {
                    [$before, $cpu] = [$probe->take(), CpuTimes::now()];
                },
            );
            [$spent, $after] = [CpuTimes::now()->since($cpu), $probe->take()];

            return (new StabilityCheck($this->clock))->fault(
                $before,
                $after,
                $spent,
                $connection === 'database' ? Durability::EachJob : Durability::None,
            ) === null
                ? round($jobs / (float) trim($seconds), 1)
                : null;
        } finally {
            foreach ($processes as $worker) {
                $worker->stop();
            }
        }
    }

    /**
     * @return array{?Stoppable, string, array<string, string>} what to stop, the queue connection, and the
     *     environment of the application
     */
    private function server(string $name, TemporaryDirectory $directory): array
    {
        $database = static fn (string $driver, MariaDbServer|PostgresServer $server): array => [
            $server,
            'database',
            [
                'DB_CONNECTION' => $driver,
                'DB_HOST' => '127.0.0.1',
                'DB_PORT' => (string) $server->port,
                'DB_DATABASE' => $server->database,
                'DB_USERNAME' => $server->username,
                'DB_PASSWORD' => $server->password,
            ],
        ];

        return match ($name) {
            'redis' => [
                $server = RedisServer::start($this->clock),
                'redis',
                ['REDIS_HOST' => '127.0.0.1', 'REDIS_PORT' => (string) $server->port],
            ],
            'beanstalkd' => [
                $server = BeanstalkdServer::start($this->clock),
                'beanstalkd',
                ['BEANSTALKD_QUEUE_HOST' => '127.0.0.1', 'BEANSTALKD_QUEUE_PORT' => (string) $server->port],
            ],
            'database:mariadb' => $database('mariadb', MariaDbServer::start($this->clock)),
            'database:pgsql' => $database('pgsql', PostgresServer::start($this->clock)),
            default => [
                null,
                'database',
                [
                    'DB_CONNECTION' => 'sqlite',
                    'DB_DATABASE' => $directory->write('jobs.sqlite', ''),
                    'DB_JOURNAL_MODE' => 'WAL',
                    'DB_BUSY_TIMEOUT' => '60000',
                    'DB_SYNCHRONOUS' => 'FULL',
                    'DB_TRANSACTION_MODE' => 'IMMEDIATE',
                ],
            ],
        };
    }
}
