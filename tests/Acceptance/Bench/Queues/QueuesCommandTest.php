<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Bench\Queues;

use Headroom\Bench\Queues\Durability;
use Headroom\Bench\Queues\Results\Fault;
use Headroom\Bench\Queues\Results\FaultKind;
use Headroom\Bench\Queues\Results\Finding;
use Headroom\Bench\Queues\Results\Findings;
use Headroom\Bench\Queues\Scenarios\Scenario;
use Headroom\Tests\Laravel\WorkbenchDatabase;
use PDO;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Redis;
use Workbench\App\Queues\FolderQueue;

/**
 * headroom:bench:queues with Laravel's own drivers, real servers and real workers. The tests do not look at its
 * rates.
 */
final class QueuesCommandTest extends TestCase
{
    private Workbench $workbench;

    protected function setUp(): void
    {
        $this->workbench = Workbench::on(WorkbenchDatabase::MariaDb);
    }

    protected function tearDown(): void
    {
        if (isset($this->workbench)) {
            $this->workbench->remove();
        }
    }

    #[Test, Group('day-3')]
    public function each_driver_gets_each_job_done_once_and_nothing_of_it_stays(): void
    {
        self::assertSame(
            0,
            ($migrated = $this->workbench->artisan('migrate', '--force'))->getExitCode(),
            $migrated->getOutput(),
        );
        $pdo = $this->pdo();
        $pdo->exec(
            "delete from jobs; insert into jobs (queue, payload, attempts, available_at, created_at) values ('default',"
                ." '{}', 0, 0, 0)",
        );

        [, $scenarios] = $this->workbench->bench(
            '--drivers=redis,beanstalkd,database',
            '--jobs=300',
            '--seconds=0',
            '--runs=1',
            '--workers=3',
        );

        self::assertSame(['redis', 'beanstalkd', 'database'], self::names($scenarios['empty']));

        foreach ($scenarios['empty']->all as $finding) {
            $this->assertOnce($finding, 300);
        }

        self::assertSame(
            ['1'],
            self::column($pdo, 'select count(*) from jobs'),
            'The queue of the application is not touched.',
        );
        self::assertSame([], self::tables($pdo));
        $redis = new Redis;
        $redis->connect('127.0.0.1', (int) getenv('HEADROOM_REDIS_PORT'));
        self::assertSame([], $redis->keys('*headroom-bench*'));
        $pdo->exec('delete from jobs');
    }

    #[Test]
    #[Group('proof')]
    public function a_table_of_jobs_is_measured_with_the_indexes_that_it_has(): void
    {
        $this->workbench->artisan('migrate', '--force');
        $pdo = $this->pdo();
        $pdo->exec('create index mine on jobs (reserved_at)');

        try {
            $process = $this->workbench->process(
                'headroom:bench:queues',
                '--drivers=database',
                '--jobs=1000',
                '--seconds=0',
                '--runs=1',
                '--workers=1',
                '--json',
            );
            $process->start();
            $indexes = [];

            // The table may be removed between two queries.
            while (! in_array('mine', $indexes, true) && $process->isRunning()) {
                $indexes = self::column(
                    $pdo,
                    'select index_name from information_schema.statistics where table_schema = database() and'
                        ." table_name like 'headroom\\_bench\\_%'",
                );
                usleep(2_000);
            }

            $process->wait();
        } finally {
            $pdo->exec('drop index mine on jobs');
        }

        self::assertContains('mine', $indexes);
        self::assertStringContainsString('`jobs`', $process->getOutput());
    }

    #[Test]
    #[Group('proof')]
    public function any_database_connection_is_measured_by_its_name(): void
    {
        $workbench = Workbench::on(WorkbenchDatabase::PostgreSql);

        try {
            [, $scenarios] = $workbench->bench(
                '--drivers=database:pgsql',
                '--jobs=200',
                '--seconds=0',
                '--runs=1',
                '--workers=2',
            );
        } finally {
            $workbench->remove();
        }

        $this->assertOnce($scenarios['empty']->all[0], 200);
        self::assertSame(
            ['fsync', 'synchronous_commit'],
            array_keys($scenarios['empty']->all[0]->variant->facts->settings),
        );
        self::assertSame(Durability::EachJob, $scenarios['empty']->all[0]->variant->facts->durability);
    }

    #[Test, Group('day-1')]
    public function a_custom_driver_is_measured_by_the_name_of_its_connection(): void
    {
        [, $scenarios] = $this->workbench->bench(
            '--drivers=folder',
            '--jobs=100',
            '--seconds=0',
            '--runs=1',
            '--workers=2',
        );

        $this->assertOnce($scenarios['empty']->all[0], 100);
        self::assertSame(Durability::Unknown, $scenarios['empty']->all[0]->variant->facts->durability);
        $notes = $scenarios['empty']->all[0]->variant->facts->notes;
        self::assertCount(1, $notes);
        self::assertStringContainsString(FolderQueue::class, $notes[0]);
    }

    #[Test, Group('day-2')]
    public function a_driver_that_gives_a_job_to_two_workers_is_named_and_not_averaged(): void
    {
        $workbench = new Workbench(['FOLDER_QUEUE_CARELESS' => '1']);

        try {
            [
                $exit, $scenarios,
            ] = $workbench->bench('--drivers=folder', '--jobs=200', '--seconds=0', '--runs=1', '--workers=4');
        } finally {
            $workbench->remove();
        }

        self::assertSame(1, $exit);
        self::assertNull($scenarios['empty']->all[0]->rates());
        self::assertGreaterThan(
            0,
            $scenarios['empty']->all[0]->count(FaultKind::Double),
            implode('; ', $scenarios['empty']->all[0]->notes()),
        );
    }

    #[Test]
    #[Group('proof')]
    public function it_starts_servers_of_its_own(): void
    {
        $workbench = new Workbench;

        try {
            [, $scenarios] = $workbench->bench(
                '--with-servers',
                '--drivers=redis,beanstalkd,database:mariadb,database:pgsql,database:sqlite',
                '--jobs=100',
                '--seconds=0',
                '--runs=1',
                '--workers=2',
            );
        } finally {
            $workbench->remove();
        }

        self::assertSame(
            ['redis', 'beanstalkd', 'database:mariadb', 'database:pgsql', 'database:sqlite'],
            self::names($scenarios['empty']),
        );

        foreach ($scenarios['empty']->all as $finding) {
            $this->assertOnce($finding, 100);
        }
    }

    #[Test]
    #[Group('proof')]
    public function each_scenario_has_its_rows(): void
    {
        [, $scenarios] = $this->workbench->bench(
            '--drivers=redis',
            '--scenario=deep,payload,arrivals,persistent,cache',
            '--jobs=100',
            '--seconds=1',
            '--runs=1',
            '--workers=2',
            '--deep=400',
        );

        self::assertSame(
            [100, 400],
            array_map(static fn (Finding $finding): int => $finding->variant->workload->jobs, $scenarios['deep']->all),
        );
        self::assertSame(
            [100, 100],
            array_map(static fn (Finding $finding): int => $finding->outcomes[0]->counted, $scenarios['deep']->all),
        );
        self::assertSame(
            [0, 1_000, 10_000, 60_000],
            array_map(
                static fn (Finding $finding): int => $finding->variant->workload->payloadBytes,
                $scenarios['payload']->all,
            ),
        );
        self::assertSame(
            ['redis, --sleep=3', 'redis, --sleep=0.1', 'redis, block_for 5'],
            self::names($scenarios['arrivals']),
        );
        self::assertCount(2, array_unique(self::names($scenarios['persistent'])));
        self::assertSame(
            ['redis, CACHE_STORE=array', 'redis, CACHE_STORE=file', 'redis, CACHE_STORE=redis'],
            self::names($scenarios['cache']),
        );

        foreach ($scenarios['arrivals']->all as $finding) {
            self::assertCount(
                100,
                $finding->outcomes[0]->waits,
                'Each of the jobs that came one by one has waited for a time that is known.',
            );
        }
    }

    #[Test]
    public function an_interrupted_run_removes_its_tables(): void
    {
        $process = $this->workbench->process(
            'headroom:bench:queues',
            '--drivers=database',
            '--jobs=1000000',
            '--runs=1',
            '--workers=2',
            '--json',
        );
        $process->start();
        $pdo = $this->pdo();
        // It is queueing a million jobs then.
        for ($try = 0; $try < 12_000 && $process->isRunning() && self::tables($pdo) === []; $try++) {
            usleep(5_000);
        }

        self::assertCount(1, self::tables($pdo), $process->getOutput().$process->getErrorOutput());
        $process->signal(SIGINT);

        self::assertNotSame(0, $process->wait());
        self::assertSame([], self::tables($pdo));
    }

    #[Test, Group('day-1')]
    public function the_report_has_the_measured_scenario(): void
    {
        $file = $this->workbench->path('report.html');
        $process = $this->workbench->artisan(
            'headroom:bench:queues',
            '--drivers=redis',
            '--jobs=100',
            '--seconds=0',
            '--runs=1',
            '--workers=2',
            "--html={$file}",
        );

        self::assertStringContainsString($file, $process->getErrorOutput());
        $lines = explode("\n", trim($process->getOutput()));
        self::assertSame(
            [],
            array_filter(array_slice($lines, 0, -1), static fn (string $line): bool => mb_strlen($line) > 80),
        );
        self::assertStringContainsString(Scenario::Empty->question(), (string) file_get_contents($file));
    }

    /** A machine that is slow for a while is not a fault of the driver. */
    private function assertOnce(Finding $finding, int $jobs): void
    {
        self::assertNotSame([], $finding->outcomes, $finding->refused);

        foreach ($finding->outcomes as $outcome) {
            self::assertSame(
                [$jobs, $jobs],
                [$outcome->jobs, $outcome->executions],
                $outcome->words($finding->variant->workload),
            );
            self::assertSame(
                [],
                array_filter($outcome->faults, static fn (Fault $fault): bool => $fault->kind !== FaultKind::Throttled),
                $outcome->words($finding->variant->workload),
            );
            self::assertGreaterThan(0, $outcome->seconds);
        }
    }

    /** @return list<string> */
    private static function names(Findings $findings): array
    {
        return array_map(static fn (Finding $finding): string => $finding->variant->name, $findings->all);
    }

    /** @return list<string> of the tables that were made for a measurement */
    private static function tables(PDO $pdo): array
    {
        return self::column($pdo, "show tables like 'headroom\\_bench\\_%'");
    }

    /** @return list<string> */
    private static function column(PDO $pdo, string $sql, int $column = 0): array
    {
        $statement = $pdo->query($sql);

        return $statement === false
            ? []
            : array_map(
                static fn (mixed $value): string => is_scalar($value) ? (string) $value : '',
                array_values($statement->fetchAll(PDO::FETCH_COLUMN, $column)),
            );
    }

    private function pdo(): PDO
    {
        return new PDO(
            'mysql:host=127.0.0.1;port='.getenv('HEADROOM_MARIADB_PORT').';dbname=headroom',
            'headroom',
            'headroom',
        );
    }
}
