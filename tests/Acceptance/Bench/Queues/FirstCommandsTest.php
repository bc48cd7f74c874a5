<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Bench\Queues;

use Headroom\Bench\Queues\Results\Fault;
use Headroom\Bench\Queues\Results\FaultKind;
use Headroom\Bench\Queues\Results\Finding;
use Headroom\Bench\Queues\Scenarios\Scenario;
use Headroom\Bench\Queues\UnableToBench;
use Headroom\Bench\Servers\RedisServer;
use Headroom\Tests\Support\Sample;
use Headroom\Tests\Support\Sentence;
use Headroom\Tests\Support\Snapshot;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use Redis;

/** First commands of a new user: each works, or says what is missing. */
#[Group('snapshot')]
final class FirstCommandsTest extends TestCase
{
    /** An application without servers. */
    private const NO_SERVER = ['DB_HOST' => '127.0.0.1', 'DB_PORT' => '1'];

    /** @var list<Workbench> */
    private array $workbenches = [];

    private ?RedisServer $redis = null;

    protected function tearDown(): void
    {
        $this->redis?->stop();
        array_map(static fn (Workbench $workbench) => $workbench->remove(), $this->workbenches);
    }

    #[Test, Group('day-3')]
    public function a_queue_in_sqlite_has_one_worker_by_default(): void
    {
        [$exit, $scenarios] = $this->onSqlite(['QUEUE_CONNECTION' => 'database'])
            ->bench('--jobs=100', '--seconds=0', '--runs=1');

        $finding = $scenarios['empty']->all[0];
        $this->assertOnce($finding, 100);
        self::assertSame(['database', 1, 0], [$finding->variant->name, $finding->variant->workload->workers, $exit]);
        self::assertStringContainsString('database is locked', implode($finding->variant->facts->notes));
    }

    #[Test, Group('day-1')]
    public function several_workers_on_sqlite_are_possible_and_one_is_advised(): void
    {
        [, $scenarios] = $this->onSqlite()
            ->bench('--drivers=database', '--workers=2', '--jobs=4', '--seconds=0', '--runs=1');

        self::assertSame(2, $scenarios['empty']->all[0]->variant->workload->workers);
        self::assertStringContainsString('--workers=1', implode($scenarios['empty']->all[0]->variant->facts->notes));
    }

    #[Test]
    #[Group('proof')]
    public function servers_are_started_though_the_cache_table_is_missing(): void
    {
        $workbench = $this->onSqlite(['CACHE_STORE' => 'database']);
        [$exit, $scenarios] = $workbench->bench(
            '--with-servers',
            '--drivers=redis,database:mariadb,database:sqlite',
            '--jobs=50',
            '--seconds=0',
            '--runs=1',
            '--workers=2',
        );

        foreach ($scenarios['empty']->all as $finding) {
            $this->assertOnce($finding, 50);
        }

        self::assertSame([3, 0], [count($scenarios['empty']->all), $exit]);
    }

    #[Test, Group('day-1')]
    public function a_cache_that_does_not_answer_is_not_asked_where_servers_are_started(): void
    {
        $process = $this->onSqlite(['CACHE_STORE' => 'database'])->artisan(
            'headroom:bench:queues',
            '--with-servers',
            '--drivers=redis',
            '--jobs=50',
            '--seconds=0',
            '--runs=1',
            '--workers=2',
        );

        Sentence::assertNames(['CACHE_STORE=database', 'CACHE_STORE=array'], $process->getErrorOutput());
        self::assertStringContainsString('CACHE_STORE=array', $process->getOutput());
        self::assertSame(0, $process->getExitCode(), $process->getErrorOutput().$process->getOutput());
    }

    #[Test, Group('day-2')]
    public function a_custom_driver_is_measured_without_a_server_of_its_own(): void
    {
        $process = $this->onSqlite()->artisan(
            'headroom:bench:queues',
            '--with-servers',
            '--drivers=folder',
            '--jobs=20',
            '--seconds=0',
            '--runs=1',
            '--workers=1',
        );

        self::assertStringStartsWith('folder ', $process->getErrorOutput());
        Snapshot::assertPrinted(
            'bench',
            'a connection without a server of its own',
            explode("\n", $process->getErrorOutput())[0],
        );
        self::assertSame(0, $process->getExitCode(), $process->getErrorOutput().$process->getOutput());
    }

    /** @return array<int, array{string}> */
    public static function scenarios(): array
    {
        return Sample::of([
            ['--scenario=persistent'],
            ['--scenario=empty,persistent'],
        ], 1);
    }

    #[Test, Group('day-3')]
    #[DataProvider('scenarios')]
    public function connections_to_redis_that_are_kept_are_measured_like_those_that_are_not(string $scenario): void
    {
        [$exit, $scenarios] = $this->onRedis()
            ->bench('--drivers=redis', $scenario, '--jobs=50', '--seconds=0', '--runs=1', '--workers=2');

        self::assertCount(2, $scenarios['persistent']->all);

        foreach ($scenarios['persistent']->all as $finding) {
            $this->assertOnce($finding, 50);
        }

        self::assertSame(0, $exit);
    }

    #[Test, Group('day-2')]
    public function a_server_that_is_down_does_not_keep_the_others_from_being_measured(): void
    {
        [$exit, $scenarios] = $this->onRedis(self::NO_SERVER)->bench(
            '--drivers=database:mysql,redis',
            '--scenario=empty,output',
            '--jobs=20',
            '--seconds=0',
            '--runs=1',
            '--workers=2',
        );

        self::assertSame(1, $exit);
        self::assertCount(2, $scenarios['empty']->all);
        self::assertCount(4, $scenarios['output']->all);

        foreach ([...$scenarios['empty']->all, ...$scenarios['output']->all] as $finding) {
            $finding->variant->driver() === 'redis'
                ? $this->assertOnce($finding, 20)
                : self::assertMatchesRegularExpression(
                    '/^database:mysql: .*: QueryException: SQLSTATE\[HY000] \[2002]/',
                    $finding->refused,
                );
        }
    }

    #[Test, Group('day-3')]
    public function a_redis_without_snapshots_reports_none(): void
    {
        $workbench = $this->onRedis();
        $client = new Redis;
        $client->connect('127.0.0.1', (int) $this->redis?->port);
        $client->config('SET', 'save', '');

        [, $scenarios] = $workbench->bench('--drivers=redis', '--jobs=20', '--seconds=0', '--runs=1', '--workers=1');

        self::assertMatchesRegularExpression(
            '/^\(\w+\)$/',
            $scenarios['empty']->all[0]->variant->facts->settings['save'],
        );
    }

    #[Test]
    #[Group('proof')]
    public function a_driver_without_its_package_is_refused_by_name_or_left_out(): void
    {
        $workbench = $this->onSqlite();
        $without = [
            'PHP_INI_SCAN_DIR' => PHP_CONFIG_FILE_SCAN_DIR.PATH_SEPARATOR.__DIR__.'/fixtures/no-pheanstalk',
            'HEADROOM_TEST_ROOT' => dirname(__DIR__, 4),
        ];

        foreach ([['--drivers=redis,beanstalkd'], ['--with-servers', '--drivers=beanstalkd']] as $options) {
            $process = $workbench->process('headroom:bench:queues', ...$options);
            $process->run(env: [...$workbench->env(), ...$without]);

            self::assertMatchesRegularExpression(
                "/^'beanstalkd' .*: composer require pda\/pheanstalk\n$/",
                $process->getErrorOutput().$process->getOutput(),
            );
            self::assertSame(1, $process->getExitCode());
        }

        $process = $workbench->process(
            'headroom:bench:queues',
            '--with-servers',
            '--jobs=20',
            '--seconds=0',
            '--runs=1',
            '--workers=1',
        );
        $process->run(env: [...$workbench->env(), ...$without]);

        self::assertMatchesRegularExpression(
            '~^beanstalkd .*: composer require pda/pheanstalk$~m',
            $process->getErrorOutput(),
        );
        self::assertStringNotContainsString('beanstalkd', $process->getOutput());
        self::assertSame(0, $process->getExitCode(), $process->getErrorOutput().$process->getOutput());
    }

    /**
     * @param list<string> $arguments
     * @param list<string> $named
     */
    #[Test, Group('day-1')]
    #[TestWith([['load'], ['headroom:bench:queues', '"load"']])]
    #[TestWith([['--drivers=nosuch'], ["'nosuch'", 'config/queue.php', 'sync, database']])]
    #[TestWith([['--drivers=redis,sync'], ["'sync'", "'sync'"]])]
    #[TestWith([['--drivers=database:nosuch'], ["'nosuch'", 'config/database.php']])]
    #[TestWith([['--drivers='], ['--drivers']])]
    #[TestWith([['--scenario=,'], ['--scenario']])]
    #[TestWith([['--workers=0'], ['--workers', "'0'", '1', '256']])]
    #[TestWith([['--workers=257'], ['--workers', "'257'", '1', '256']])]
    #[TestWith([['--with-servers', '--drivers=redis,nosuch'], ["'nosuch'", 'config/queue.php']])]
    #[TestWith([
        ['--with-servers', '--drivers=redis,database:mysql'],
        ["'database:mysql'", '--with-servers', 'redis, beanstalkd, database:mariadb'],
    ])]
    #[TestWith([['--with-servers', '--drivers=database'], ["'database'", '--with-servers']])]
    public function wrong_usage_ends_with_2_and_names_the_valid_values(array $arguments, array $named): void
    {
        $process = $this->workbench()->artisan('headroom:bench:queues', ...$arguments);

        Sentence::assertNames($named, $process->getErrorOutput());
        Snapshot::assertPrinted(
            'bench',
            implode(' ', $arguments),
            explode(', which has: ', $process->getErrorOutput())[0],
        );
        self::assertSame(['', 2], [$process->getOutput(), $process->getExitCode()]);
    }

    #[Test]
    public function a_scenario_that_is_for_other_drivers_names_them(): void
    {
        $process = $this->onSqlite()
            ->artisan('headroom:bench:queues', '--drivers=database', '--scenario=persistent');

        self::assertStringEndsWith(
            UnableToBench::nothingMeasured(['persistent' => Scenario::Persistent->whyNone()])->getMessage()."\n",
            $process->getErrorOutput(),
        );
        self::assertSame(1, $process->getExitCode());
    }

    /** @param array<string, string> $env */
    private function onSqlite(array $env = []): Workbench
    {
        $workbench = $this->workbench($env);
        // The database of a new application, which has no tables yet.
        touch($workbench->path('database.sqlite'));

        return $workbench;
    }

    /** @param array<string, string> $env */
    private function onRedis(array $env = []): Workbench
    {
        $this->redis = RedisServer::start();

        return $this->onSqlite(['REDIS_HOST' => '127.0.0.1', 'REDIS_PORT' => (string) $this->redis->port, ...$env]);
    }

    /** @param array<string, string> $env */
    private function workbench(array $env = []): Workbench
    {
        return $this->workbenches[] = new Workbench($env);
    }

    private function assertOnce(Finding $finding, int $jobs): void
    {
        self::assertNotSame([], $finding->outcomes, $finding->refused);

        foreach ($finding->outcomes as $outcome) {
            self::assertSame(
                [$jobs, $jobs],
                [$outcome->jobs, $outcome->executions],
                implode('; ', $finding->notes()),
            );
            self::assertSame(
                [],
                array_filter($outcome->faults, static fn (Fault $fault): bool => $fault->kind !== FaultKind::Throttled),
                implode('; ', $finding->notes()),
            );
        }
    }
}
