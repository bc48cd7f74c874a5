<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Support;

use Closure;
use Headroom\Console\Doctor\FactProviders;
use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Application\MissingClasses;
use Headroom\Doctor\Application\QueueWorker;
use Headroom\Doctor\Application\QueueWorkers;
use Headroom\Doctor\Database\DatabaseServer;
use Headroom\Doctor\Database\DatabaseWindow;
use Headroom\Doctor\Database\Engine;
use Headroom\Doctor\Database\OpenTransaction;
use Headroom\Doctor\Database\RowLockWait;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Fpm\FpmPools;
use Headroom\Doctor\Kernel\CpuWindow;
use Headroom\Doctor\Kernel\KernelLog;
use Headroom\Doctor\Kernel\KernelWindow;
use Headroom\Doctor\Kernel\MachineMemory;
use Headroom\Doctor\Kernel\Process\ServerProcesses;
use Headroom\Doctor\Kernel\Process\UsableCpus;
use Headroom\Doctor\Kernel\Sockets\Destination;
use Headroom\Doctor\Kernel\Sockets\LocalPorts;
use Headroom\Doctor\Kernel\Sysctl;
use Headroom\Doctor\Laravel\BlockingRoute;
use Headroom\Doctor\Laravel\BlockingRoutes;
use Headroom\Doctor\Nginx\NginxServers;
use Headroom\Doctor\Redis\RedisActivity;
use Headroom\Doctor\Redis\RedisAddress;
use Headroom\Doctor\Redis\RedisAddresses;
use Headroom\Doctor\Redis\RedisInfo;
use Headroom\Doctor\Redis\RedisServer;
use Headroom\Doctor\Redis\RedisServers;
use Headroom\Doctor\Redis\RedisWindow;
use Headroom\Doctor\Redis\SlowCommand;
use Headroom\Tests\Unit\Doctor\Kernel\Machine;

/**
 * A whole stack on one machine: two nginx, two PHP-FPMs, two Redis servers, MariaDB, an application. Most checks find a
 * fault of it when it is sick, and none when it is well.
 */
final readonly class PlantedStack
{
    public const REDIS = ['tcp://127.0.0.1:6379', 'tcp://127.0.0.1:6380'];

    public PlantedWeb $web;

    public Machine $machine;

    public function __construct(public bool $isSick)
    {
        $this->web = new PlantedWeb(new WebServers, $isSick);
        $this->machine = Machine::create();
        $this->machine->has(
            '/app/routes/web.php',
            "<?php cache()->remember('k', 60, fn () => 1);",
        )->has('/app/artisan', '');
    }

    public function __destruct()
    {
        $this->machine->remove();
    }

    /**
     * @param array<class-string, Closure(Facts): object> $instead
     */
    public function facts(array $instead = []): Facts
    {
        return new Facts($instead + $this->probes() + FactProviders::ofThisMachine());
    }

    /** @return array<class-string, Closure(Facts): object> what is not made of another fact */
    public function probes(): array
    {
        return [
            NginxServers::class => fn (): NginxServers => $this->web->nginx(),
            FpmPools::class => fn (): FpmPools => $this->web->fpm(),
            MachineMemory::class => static fn (): MachineMemory => MachineMemory::read(),
            CpuWindow::class => fn (): CpuWindow => $this->cpus(),
            KernelWindow::class => fn (): KernelWindow => $this->window(),
            KernelLog::class => fn (): KernelLog => KernelLog::parse(
                $this->isSick
                    ? "[ 5000.5] Out of memory: Killed process 71 (mariadbd)\n[ 5000.6] Possible SYN flooding"
                        ." on port 80\n"
                    : "[ 1.0] quiet\n",
                '8000.5 1.0',
            ),
            LocalPorts::class => fn (): LocalPorts => new LocalPorts(
                40_000,
                40_099,
                0,
                new Destination('10.0.0.9', 6379, $this->isSick ? 90 : 1, 0),
                '/proc',
            ),
            ServerProcesses::class => fn (): ServerProcesses => $this->processes(),
            UsableCpus::class => fn (): UsableCpus => UsableCpus::of(
                9,
                $this->cgroups()->has('/proc/9/status', "Cpus_allowed_list:\t0-7\n")->files(),
            ),
            Sysctl::class => fn (): Sysctl => $this->sysctl(),
            Application::class => fn (): Application => $this->application(),
            DatabaseServer::class => fn (): DatabaseServer => $this->database(),
            DatabaseWindow::class => fn (): DatabaseWindow => $this->databaseWindow(),
        ] + $this->ofTheApplication();
    }

    /** @return array<class-string, Closure(Facts): object> */
    private function ofTheApplication(): array
    {
        return [
            BlockingRoutes::class => fn (): BlockingRoutes => new BlockingRoutes(
                $this->isSick ? [new BlockingRoute(['GET'], 'feed', 10, 5)] : [],
            ),
            MissingClasses::class => fn (): MissingClasses => new MissingClasses(
                $this->isSick ? array_map(static fn (int $i): string => "App\\Absent{$i}", range(1, 500)) : [],
                false,
            ),
            QueueWorkers::class => fn (): QueueWorkers => new QueueWorkers(
                [new QueueWorker(1, null, $this->isSick ? 600 : 30, $this->machine->path('/app').'/artisan')],
            ),
            RedisAddresses::class => static fn (): RedisAddresses => new RedisAddresses(
                array_map(static fn (string $place): RedisAddress => new RedisAddress($place), self::REDIS),
            ),
            RedisServers::class => fn (): RedisServers => new RedisServers(
                array_map(fn (string $place): RedisServer => $this->redis($place), self::REDIS),
            ),
            RedisWindow::class => fn (): RedisWindow => new RedisWindow(
                array_fill_keys(self::REDIS, new RedisActivity(1.0, $this->isSick ? 0.95 : 0.1, 0.0001)),
            ),
        ];
    }

    /** @param bool $tellsSlow whether it lets one see its log of slow commands */
    public function redis(string $place, bool $tellsSlow = true): RedisServer
    {
        $number = $this->isSick ? '9' : '0';
        $info = [
            'connected_clients' => '5', 'maxclients' => $this->isSick ? '5' : '1000',
            'rejected_connections' => $number, 'evicted_keys' => $number,
            'maxmemory' => $this->isSick ? '1000' : '0',
            'maxmemory_policy' => $this->isSick ? 'allkeys-lru' : 'noeviction', 'aof_enabled' => '1',
            'aof_delayed_fsync' => $number, 'latest_fork_usec' => "{$number}00000", 'cmdstat_info' => 'calls=1',
            ...($this->isSick && $tellsSlow ? ['cmdstat_keys' => 'calls=9'] : []),
        ];
        $config = [
            'save' => '60 1',
            'appendonly' => 'yes',
            'appendfsync' => $this->isSick ? 'always' : 'everysec',
            'latency-monitor-threshold' => $this->isSick ? '0' : '100',
            'unixsocket' => '',
        ];

        return new RedisServer(
            $place,
            ['session', 'queue'],
            new RedisInfo($info),
            $config,
            $tellsSlow ? ($this->isSick ? [new SlowCommand('keys', 900_000)] : []) : null,
        );
    }

    public function processes(): ServerProcesses
    {
        $this->cgroups()->has('/proc/31/comm', "redis-server\n")->has('/proc/31/cgroup', "0::/\n")
            ->has('/proc/31/limits', "Max open files            4                    4096                 files\n");

        foreach (range(0, $this->isSick ? 3 : 0) as $file) {
            $this->machine->has("/proc/31/fd/{$file}", '');
        }

        return ServerProcesses::running($this->machine->files());
    }

    private function cgroups(): Machine
    {
        return $this->machine->has('/proc/9/cgroup', "0::/\n")->has(
            '/proc/self/mountinfo',
            "35 24 0:30 / /sys/fs/cgroup rw shared:9 - cgroup2 cgroup2 rw\n",
        )->has('/sys/fs/cgroup/cpu.max', "max 100000\n");
    }

    private function cpus(): CpuWindow
    {
        $write = fn (int $idle): Machine => $this->machine->has('/proc/stat', "cpu  1000 0 0 {$idle} 0 0 0 0 0 0\n");
        $write(1_000);

        return CpuWindow::measure($this->machine->files(), new Meanwhile(static fn () => $write(9_000)));
    }

    private function window(): KernelWindow
    {
        $write = fn (int $n): Machine => $this->machine
            ->has(
                '/proc/self/net/netstat',
                "TcpExt: ListenOverflows ListenDrops TCPReqQFullDoCookies TCPReqQFullDrop\nTcpExt: {$n} {$n} {$n} 0\n",
            )
            ->has('/proc/vmstat', "pswpin {$n}\npswpout 0\noom_kill 1\n")
            ->has('/sys/fs/cgroup/cpu.stat', "nr_periods {$n}\nnr_throttled {$n}\n");
        $write(1);
        $then = $this->isSick ? 9_000 : 1;

        return KernelWindow::measure(
            ['php-fpm' => '/sys/fs/cgroup/cpu.stat'],
            $this->machine->files(),
            new Meanwhile(static fn () => $write($then)),
        );
    }

    private function sysctl(): Sysctl
    {
        $this->machine->has(
            '/proc/sys/net/core/somaxconn',
            $this->isSick ? "128\n" : "4096\n",
        )->has('/proc/sys/net/ipv4/tcp_max_syn_backlog', "512\n")
            ->has(
                '/proc/sys/net/ipv4/tcp_abort_on_overflow',
                $this->isSick ? "1\n" : "0\n",
            )->has('/proc/sys/vm/overcommit_memory', $this->isSick ? "0\n" : "1\n")
            ->has(
                '/sys/kernel/mm/transparent_hugepage/enabled',
                $this->isSick ? "[always] madvise never\n" : "always [madvise] never\n",
            );

        return new Sysctl($this->machine->files());
    }

    private function database(): DatabaseServer
    {
        $number = $this->isSick ? '99' : '0';

        return new DatabaseServer(Engine::Mariadb, $this->isSick ? '10.4.1-MariaDB' : '11.4.2-MariaDB', [
            'max_connections' => '151', 'innodb_flush_log_at_trx_commit' => '1',
            'slow_query_log' => $this->isSick ? 'OFF' : 'ON', 'long_query_time' => '0.2',
            'innodb_buffer_pool_size' => '134217728',
        ], [
            'max_used_connections' => $this->isSick ? '150' : '3', 'connection_errors_max_connections' => $number,
            'innodb_deadlocks' => $number, 'innodb_buffer_pool_read_requests' => '200000',
            'innodb_buffer_pool_reads' => $this->isSick ? '90000' : '9',
        ], $this->isSick ? [new OpenTransaction('7', 99.0, 'RUNNING')] : []);
    }

    private function databaseWindow(): DatabaseWindow
    {
        return $this->isSick
                ? new DatabaseWindow(
                    1.0,
                    0.02,
                    0.05,
                    ['connections' => 900.0, 'innodb_row_lock_waits' => 40.0, 'questions' => 9_000.0],
                    20,
                    10,
                    ['shop.counters' => new RowLockWait(9, 12)],
                )
                : new DatabaseWindow(
                    1.0,
                    0.0001,
                    0.001,
                    ['connections' => 1.0, 'innodb_row_lock_waits' => 0.0, 'questions' => 20.0],
                    20,
                    10,
                );
    }

    private function application(): Application
    {
        $isSick = $this->isSick;

        return new Application(
            $this->machine->path('/app'),
            '12.0.0',
            'production',
            $isSick,
            $isSick ? [] : ['config', 'events', 'routes', 'views'],
            $this->configuration(),
            ['laravel/telescope' => '5', 'laravel/pulse' => '1'],
            $isSick ? ['Laravel\Telescope\TelescopeServiceProvider'] : [],
            ['.env' => ''],
            [],
            $isSick ? ['app/A.php:3'] : [],
            ! $isSick,
            ['a/dev'],
        );
    }

    /** @return array<string, mixed> */
    private function configuration(): array
    {
        $isSick = $this->isSick;
        $redis = [
            'host' => '127.0.0.1',
            'port' => '6379',
            'database' => $isSick ? null : '0',
            'timeout' => $isSick ? 0 : 1.0,
            'read_timeout' => $isSick ? 0 : 9.0,
        ];
        $driver = $isSick ? 'database' : 'redis';

        return [
            'session' => ['driver' => $isSick ? 'file' : 'redis', 'connection' => null, 'block' => $isSick],
            'cache' => [
                'default' => $driver,
                'stores' => [
                    'redis' => ['driver' => 'redis', 'connection' => 'cache', 'lock_connection' => 'default'],
                    'database' => ['driver' => 'database'],
                ],
            ],
            'queue' => [
                'default' => 'redis',
                'connections' => [
                    'redis' => [
                        'driver' => 'redis',
                        'connection' => 'default',
                        'retry_after' => 90,
                        'block_for' => $isSick ? null : 5,
                    ],
                ],
            ],
            'database' => [
                'connections' => ['mysql' => ['options' => [12 => $isSick]]],
                'redis' => [
                    'client' => $isSick ? 'predis' : 'phpredis',
                    'options' => [],
                    'default' => $redis + ['persistent' => $isSick],
                    'cache' => ['database' => '1'] + $redis + ['persistent' => true],
                ],
            ],
            'logging' => [
                'default' => 'single',
                'channels' => ['single' => ['driver' => 'single', 'level' => $isSick ? 'debug' : 'warning']],
            ],
            'telescope' => ['enabled' => $isSick], 'pulse' => ['enabled' => $isSick],
        ];
    }
}
