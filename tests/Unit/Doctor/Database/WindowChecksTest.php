<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Database;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Database\DatabaseServer;
use Headroom\Doctor\Database\DatabaseWindow;
use Headroom\Doctor\Database\Engine;
use Headroom\Doctor\Database\RowLockWait;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Fpm\Config\PhpSetting;
use Headroom\Doctor\Fpm\Config\PoolSettings;
use Headroom\Doctor\Fpm\Config\RunningMaster;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\FpmPools;
use Headroom\Doctor\Kernel\Process\UsableCpus;
use Headroom\Doctor\Redis\RedisActivity;
use Headroom\Doctor\Redis\RedisServer;
use Headroom\Doctor\Redis\RedisServers;
use Headroom\Doctor\Redis\RedisWindow;
use Headroom\Doctor\Report;
use Headroom\Doctor\Status;
use Headroom\Process\Proc;
use Headroom\Tests\Unit\Doctor\Kernel\Machine;
use Headroom\Tests\Unit\Doctor\Support\Applications;
use Headroom\Tests\Unit\Doctor\Support\Examined;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * Checks of the work of servers during the second that the doctor looked.
 */
final class WindowChecksTest extends TestCase
{
    private const CONTROL_GROUPS = "35 24 0:30 / /sys/fs/cgroup rw shared:9 - cgroup2 cgroup2 rw\n";

    private Machine $machine;

    protected function setUp(): void
    {
        $this->machine = Machine::create()
            ->has('/proc/7/stat', "7 (php-fpm) S 1 1 1 0 -1 4194560 1 0 0 0 10 20 0 0 20 0 1 0 4711 1000 10 0\n")
            ->has('/proc/7/cmdline', "php-fpm: master process (/etc/fpm.conf)\0")
            ->has('/proc/9/status', "Cpus_allowed_list:\t0-1\n");
    }

    protected function tearDown(): void
    {
        $this->machine->remove();
    }

    #[Test]
    public function connecting_is_weighed_against_the_processes_that_do_it(): void
    {
        // 200 times 10 ms in a second are two processes.
        $with = fn (int $processes): Report
            => $this->examined('D2', new DatabaseWindow(1.0, 0.001, 0.01, ['connections' => 200.0]), $processes);

        Examined::fires('D2', ['200', '10.0 ms', '2.0', '39'], $with(39));
        Examined::is(Status::Pass, $with(40));
        Examined::is(Status::Unknown, $this->examined('D2', new DatabaseWindow(1.0, 0.001, 0.01), 4));
    }

    #[Test]
    public function processes_are_weighed_against_the_way_to_the_database(): void
    {
        // Two CPUs serve 200 requests of 10 ms; ten processes that wait 60 ms serve 167.
        $with = fn (float $trip, float $connect, int $processes): Report
            => $this->examined('D9', new DatabaseWindow(1.0, $trip, $connect), $processes);

        Examined::fires('D9', ['10', '167', '60.0 ms'], $with(0.01, 0.05, 10));
        Examined::shows(['15'], $with(0.01, 0.05, 10)->problems()[0]->finding->fix->text ?? '');
        Examined::is(Status::Pass, $with(0.01, 0.05, 12));
        Examined::is(Status::Pass, $with(0.0009, 0.05, 10));
        Examined::is(Status::Unknown, $this->examined('D9', new DatabaseWindow(1.0, 0.01, 0.05), null));
        // A CPU quota that cannot be read may leave fewer CPUs.
        Examined::fires(
            'D9',
            ['10'],
            (new Report($this->examined('D9', new DatabaseWindow(1.0, 0.01, 0.05), mounts: '')->problems())),
        );
    }

    #[Test]
    public function rows_that_requests_wait_for_are_named_by_their_table(): void
    {
        $with = fn (int $looks, int $most, float $counted = 40.0): Report => $this->examined(
            'D10',
            new DatabaseWindow(
                1.1,
                0.001,
                0.01,
                ['innodb_row_lock_waits' => $counted],
                null,
                10,
                ['shop.counters' => new RowLockWait($looks, $most)],
            ),
        );

        Examined::fires('D10', ['5', '10', 'shop.counters', '12'], $with(5, 12));
        Examined::is(Status::Pass, $with(4, 12));
        self::assertSame(
            [0, 1, 5],
            [
                (new RowLockWait(0, 0))->seen(1)->looks,
                (new RowLockWait(0, 0))->seen(2)->looks,
                (new RowLockWait(1, 5))->seen(2)->most,
            ],
        );
    }

    #[Test]
    public function without_rights_to_see_locks_a_counter_without_waits_passes(): void
    {
        $with = fn (?float $counted): DatabaseWindow => new DatabaseWindow(
            1.1,
            0.001,
            0.01,
            $counted === null ? [] : ['innodb_row_lock_waits' => $counted],
            null,
            10,
            [],
            FactUnavailable::because('refused', "mysql -u root -e 'show engine innodb status'"),
        );

        Examined::is(Status::Unknown, $this->examined('D10', $with(1.0)));
        Examined::is(Status::Pass, $this->examined('D10', $with(0.0)));
        Examined::is(Status::Unknown, $this->examined('D10', $with(null)));
        Examined::is(Status::Unknown, $this->examined('D10', $with(null), engine: Engine::Postgres));
    }

    #[Test]
    public function queries_are_counted_for_each_request(): void
    {
        $with = fn (float $questions, ?int $requests, Engine $engine = Engine::Mysql): Report => $this->examined(
            'L18',
            new DatabaseWindow(
                1.0,
                0.001,
                0.01,
                [$engine === Engine::Postgres ? 'commits' : 'questions' => $questions],
                $requests,
            ),
            engine: $engine,
        );

        Examined::fires('L18', ['51'], $with(510.0, 10));
        Examined::fires('L18', ['60'], $with(1_200.0, 20, Engine::Postgres));
        Examined::is(Status::Pass, $with(500.0, 10));
        Examined::is(Status::Unknown, $with(9_000.0, 9));
        Examined::is(Status::Unknown, $with(9_000.0, null));
    }

    #[Test]
    public function the_one_thread_of_redis_is_weighed_against_a_cpu(): void
    {
        $with = fn (?float $seconds): Report
            => $this->redis('R10', 'tcp://10.0.0.1:6379', new RedisActivity(1.0, $seconds, 0.0002));

        Examined::fires('R10', ['90 %'], $with(0.9));
        Examined::is(Status::Pass, $with(0.85));
        Examined::is(Status::Unknown, $with(null));
        Examined::is(Status::Unknown, $this->redis('R10', 'tcp://10.0.0.1:6379', null));
    }

    #[Test]
    public function a_redis_by_tcp_is_told_where_a_socket_could_be(): void
    {
        $activity = new RedisActivity(1.0, 0.1, 0.000045);

        Examined::fires('R5', ['TCP'], $this->redis('R5', 'tcp://127.0.0.1:6379', $activity));
        Examined::is(Status::Pass, $this->redis('R5', 'unix:///run/redis.sock', $activity));
        Examined::is(Status::Skipped, $this->redis('R5', 'tcp://10.0.0.1:6379', $activity));
        Examined::is(Status::Unknown, $this->redis('R5', 'tcp://127.0.0.1:6379', null));
    }

    private function redis(string $id, string $place, ?RedisActivity $activity): Report
    {
        $application = Applications::with()->get(Application::class);

        return Examined::by($id, [
            Application::class => static fn (): Application => $application,
            RedisServers::class => static fn (): RedisServers
                => new RedisServers([new RedisServer($place, ['session'])]),
            RedisWindow::class => static fn (): RedisWindow
                => new RedisWindow($activity === null ? [] : [$place => $activity]),
        ]);
    }

    private function examined(
        string $id,
        DatabaseWindow $window,
        ?int $processes = 10,
        Engine $engine = Engine::Mariadb,
        string $mounts = self::CONTROL_GROUPS,
    ): Report {
        $settings = $processes === null
            ? []
            : ['pm.max_children' => new PhpSetting('pm.max_children', (string) $processes, '/nowhere.conf:3')];
        $masters = RunningMaster::all($this->machine->files(), new Proc($this->machine->path('/proc')));
        self::assertCount(1, $masters);

        return Examined::by($id, [
            DatabaseWindow::class => static fn (): DatabaseWindow => $window,
            DatabaseServer::class => static fn (): DatabaseServer => new DatabaseServer($engine, '99', [], []),
            FpmPools::class => static fn (): FpmPools => new FpmPools(
                [new FpmPool($masters[0], new PoolSettings('www', $settings), new PoolSettings('global', []), null)],
                [],
                [],
            ),
            UsableCpus::class => fn (): UsableCpus => UsableCpus::of(
                9,
                $this->machine->has('/proc/9/cgroup', "0::/\n")->has('/proc/self/mountinfo', $mounts)->has(
                    '/sys/fs/cgroup/cpu.max',
                    'max 100000',
                )->files(),
            ),
        ]);
    }
}
