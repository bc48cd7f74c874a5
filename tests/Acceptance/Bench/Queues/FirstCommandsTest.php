<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Bench\Queues;

use Headroom\Bench\Queues\Fault;
use Headroom\Bench\Queues\FaultKind;
use Headroom\Bench\Queues\Finding;
use Headroom\Host\Servers\RedisServer;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use Redis;

/**
 * What somebody types first into headroom:bench: it works, or says what would.
 */
final class FirstCommandsTest extends TestCase
{
    /** Somebody who has nothing there. */
    private const NO_SERVER = ['DB_HOST' => '127.0.0.1', 'DB_PORT' => '1'];

    /** @var list<Workbench> */
    private array $workbenches = [];

    private ?RedisServer $redis = null;

    protected function tearDown(): void
    {
        $this->redis?->stop();
        array_map(static fn (Workbench $workbench) => $workbench->remove(), $this->workbenches);
    }

    #[Test]
    public function a_queue_in_sqlite_has_one_worker_when_nobody_says_how_many(): void
    {
        [$exit, $scenarios] = $this->onSqlite(['QUEUE_CONNECTION' => 'database'])->bench('--jobs=100', '--seconds=0', '--runs=1');

        $finding = $scenarios['empty']->all[0];
        $this->assertOnce($finding, 100);
        self::assertSame(['database', 1, 0], [$finding->variant->name, $finding->variant->workload->workers, $exit]);
        self::assertStringStartsWith("one worker: more of them end in 'database is locked'", implode($finding->variant->facts->notes));
    }

    #[Test]
    public function whoever_asks_for_several_workers_on_sqlite_gets_them_and_is_told_the_way_out(): void
    {
        [, $scenarios] = $this->onSqlite()->bench('--drivers=database', '--workers=2', '--jobs=4', '--seconds=0', '--runs=1');

        self::assertSame(2, $scenarios['empty']->all[0]->variant->workload->workers);
        self::assertStringStartsWith('try --workers=1: ', implode($scenarios['empty']->all[0]->variant->facts->notes));
    }

    #[Test]
    public function servers_that_are_started_do_for_a_cache_in_a_database_that_has_no_table(): void
    {
        $workbench = $this->onSqlite(['CACHE_STORE' => 'database']);
        [$exit, $scenarios] = $workbench->bench('--with-servers', '--drivers=redis,database:mariadb,database:sqlite', '--jobs=50', '--seconds=0', '--runs=1', '--workers=2');

        foreach ($scenarios['empty']->all as $finding) {
            $this->assertOnce($finding, 50);
        }

        self::assertSame([3, 0], [count($scenarios['empty']->all), $exit]);
    }

    #[Test]
    public function a_cache_that_does_not_answer_is_not_asked_where_servers_are_started(): void
    {
        $process = $this->onSqlite(['CACHE_STORE' => 'database'])->artisan('headroom:bench', 'queues', '--with-servers', '--drivers=redis', '--jobs=50', '--seconds=0', '--runs=1', '--workers=2');

        self::assertStringContainsString('CACHE_STORE=database is left out: ', $process->getErrorOutput());
        self::assertStringContainsString('Workers have CACHE_STORE=array instead', $process->getErrorOutput());
        self::assertStringContainsString('CACHE_STORE=array', $process->getOutput());
        self::assertSame(0, $process->getExitCode(), $process->getErrorOutput().$process->getOutput());
    }

    #[Test]
    public function somebody_elses_driver_is_measured_beside_servers_that_are_started_and_that_is_said(): void
    {
        $process = $this->onSqlite()->artisan('headroom:bench', 'queues', '--with-servers', '--drivers=folder', '--jobs=20', '--seconds=0', '--runs=1', '--workers=1');

        self::assertStringStartsWith("folder is a connection of the application's own: no server is started for it.\n", $process->getErrorOutput());
        self::assertSame(0, $process->getExitCode(), $process->getErrorOutput().$process->getOutput());
    }

    #[Test]
    #[TestWith(['--scenario=persistent'])]
    #[TestWith(['--scenario=empty,persistent'])]
    public function connections_to_redis_that_are_kept_are_measured_like_those_that_are_not(string $scenario): void
    {
        [$exit, $scenarios] = $this->onRedis()->bench('--drivers=redis', $scenario, '--jobs=50', '--seconds=0', '--runs=1', '--workers=2');

        self::assertCount(2, $scenarios['persistent']->all);

        foreach ($scenarios['persistent']->all as $finding) {
            $this->assertOnce($finding, 50);
        }

        self::assertSame(0, $exit);
    }

    #[Test]
    public function a_server_that_is_down_does_not_keep_the_others_from_being_measured(): void
    {
        [$exit, $scenarios] = $this->onRedis(self::NO_SERVER)->bench('--drivers=database:mysql,redis', '--scenario=empty,output', '--jobs=20', '--seconds=0', '--runs=1', '--workers=2');

        self::assertSame(1, $exit);
        self::assertCount(2, $scenarios['empty']->all);
        self::assertCount(4, $scenarios['output']->all);

        foreach ([...$scenarios['empty']->all, ...$scenarios['output']->all] as $finding) {
            $finding->variant->driver() === 'redis' ? $this->assertOnce($finding, 20) : self::assertStringStartsWith('database:mysql: connecting failed: QueryException: SQLSTATE[HY000] [2002]', $finding->refused);
        }
    }

    #[Test]
    public function a_redis_without_snapshots_says_that_it_has_none(): void
    {
        $workbench = $this->onRedis();
        $client = new Redis;
        $client->connect('127.0.0.1', (int) $this->redis?->port);
        $client->config('SET', 'save', '');

        [, $scenarios] = $workbench->bench('--drivers=redis', '--jobs=20', '--seconds=0', '--runs=1', '--workers=1');

        self::assertSame('(none)', $scenarios['empty']->all[0]->variant->facts->settings['save']);
    }

    #[Test]
    public function a_driver_whose_package_is_missing_is_refused_by_name_and_left_out_otherwise(): void
    {
        $workbench = $this->onSqlite();
        $without = ['PHP_INI_SCAN_DIR' => PHP_CONFIG_FILE_SCAN_DIR.PATH_SEPARATOR.__DIR__.'/fixtures/no-pheanstalk', 'HEADROOM_TEST_ROOT' => dirname(__DIR__, 4)];

        foreach ([['--drivers=redis,beanstalkd'], ['--with-servers', '--drivers=beanstalkd']] as $options) {
            $process = $workbench->process('headroom:bench', 'queues', ...$options);
            $process->run(env: [...$workbench->env(), ...$without]);

            self::assertSame("'beanstalkd' can not be measured. Laravel's driver for it needs a package: composer require pda/pheanstalk\n", $process->getErrorOutput().$process->getOutput());
            self::assertSame(1, $process->getExitCode());
        }

        $process = $workbench->process('headroom:bench', 'queues', '--with-servers', '--jobs=20', '--seconds=0', '--runs=1', '--workers=1');
        $process->run(env: [...$workbench->env(), ...$without]);

        self::assertStringContainsString("beanstalkd is left out: Laravel's driver for it needs a package: composer require pda/pheanstalk\n", $process->getErrorOutput());
        self::assertStringNotContainsString('beanstalkd', $process->getOutput());
        self::assertSame(0, $process->getExitCode(), $process->getErrorOutput().$process->getOutput());
    }

    /**
     * @param list<string> $arguments
     * @param non-empty-string $message
     */
    #[Test]
    #[TestWith([['load'], 'That is measured by `php artisan headroom:load URL`.'])]
    #[TestWith([['qeues'], "'qeues' is not known. It must be queues; what else is measured has a command of its own: buffer: php artisan spool:bench,"])]
    #[TestWith([['queues', '--drivers=nosuch'], "'nosuch' is none of the connections in config/queue.php, which has: sync, database,"])]
    #[TestWith([['queues', '--drivers=redis,sync'], "'sync' has the driver 'sync', which runs or drops jobs at once."])]
    #[TestWith([['queues', '--drivers=database:nosuch'], "'nosuch' is none of the connections in config/database.php, which has: "])]
    #[TestWith([['queues', '--drivers='], '--drivers is empty. Name what is meant, or leave the option away.'])]
    #[TestWith([['queues', '--scenario=,'], '--scenario is empty. Name what is meant, or leave the option away.'])]
    #[TestWith([['queues', '--workers=0'], "--workers is '0'. It must be a whole number from 1 to 256."])]
    #[TestWith([['queues', '--workers=257'], "--workers is '257'. It must be a whole number from 1 to 256."])]
    #[TestWith([['queues', '--with-servers', '--drivers=redis,nosuch'], "'nosuch' is none of the connections in config/queue.php"])]
    #[TestWith([['queues', '--with-servers', '--drivers=redis,database:mysql'], "'database:mysql' is a server of yours, and none of those that --with-servers starts: redis, beanstalkd, database:mariadb,"])]
    #[TestWith([['queues', '--with-servers', '--drivers=database'], "'database' is a server of yours, and none of those that --with-servers starts: "])]
    public function what_is_typed_wrongly_ends_with_2_and_says_what_would_be_right(array $arguments, string $message): void
    {
        $process = $this->workbench()->artisan('headroom:bench', ...$arguments);

        self::assertStringStartsWith($message, $process->getErrorOutput());
        self::assertSame(['', 2], [$process->getOutput(), $process->getExitCode()]);
    }

    #[Test]
    public function a_scenario_that_is_for_other_drivers_says_for_which(): void
    {
        $process = $this->onSqlite()->artisan('headroom:bench', 'queues', '--drivers=database', '--scenario=persistent');

        self::assertStringEndsWith("Nothing was measured. The scenario persistent has no row: it is for connections of the driver redis, and --drivers names none.\n", $process->getErrorOutput());
        self::assertSame(1, $process->getExitCode());
    }

    /** @param array<string, string> $env */
    private function onSqlite(array $env = []): Workbench
    {
        $workbench = $this->workbench($env);
        // Where a new application has it. It has no tables yet.
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
            self::assertSame([$jobs, $jobs], [$outcome->jobs, $outcome->executions], implode('; ', $finding->complaints()));
            self::assertSame([], array_filter($outcome->faults, static fn (Fault $fault): bool => $fault->kind !== FaultKind::Throttled), implode('; ', $finding->complaints()));
        }
    }
}
