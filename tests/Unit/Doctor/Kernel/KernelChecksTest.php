<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Kernel;

use Headroom\Doctor\Kernel\KernelLog;
use Headroom\Doctor\Kernel\KernelWindow;
use Headroom\Doctor\Kernel\Process\ServerProcesses;
use Headroom\Doctor\Kernel\Sockets\LocalPorts;
use Headroom\Doctor\Kernel\Sysctl;
use Headroom\Doctor\Kernel\UnreadableKernel;
use Headroom\Doctor\Report;
use Headroom\Doctor\Status;
use Headroom\Tests\Support\Snapshot;
use Headroom\Tests\Unit\Doctor\Support\Examined;
use Headroom\Tests\Unit\Doctor\Support\Meanwhile;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;

/**
 * Checks of counters of the kernel: a machine at two moments, and the finding of each check.
 */
final class KernelChecksTest extends MachineTestCase
{
    private const NETSTAT = [
        'ListenOverflows' => 54_000,
        'ListenDrops' => 54_000,
        'TCPReqQFullDoCookies' => 7,
        'TCPReqQFullDrop' => 0,
    ];

    private const VMSTAT = ['pswpin' => 900_000, 'pswpout' => 900_000, 'oom_kill' => 3];

    private const STAT = ['nr_periods' => 5_000, 'nr_throttled' => 4_000];

    private const DMESG = "[    1.000000] Linux version\n[ 3600.000000] TCP: request_sock_TCP: Possible SYN flooding on"
        ." port 0.0.0.0:80. Sending cookies.\n[ 5000.500000] Out of memory: Killed process 71 (mariadbd)"
        ." total-vm:1kB\n";

    /** @return iterable<string, array{string, array<string, int>, list<string>}> the last is what the message names */
    public static function firing(): iterable
    {
        yield 'a connection is lost' => ['S2', ['ListenOverflows' => 1], ['1.0 s', '1']];
        yield 'one is lost for another reason' => ['S2', ['ListenDrops' => 12], ['1.0 s', '12']];
        yield 'cookies' => ['S5', ['TCPReqQFullDoCookies' => 4], ['1.0 s', '4']];
        yield 'cookies and drops' => ['S5', ['TCPReqQFullDoCookies' => 4, 'TCPReqQFullDrop' => 2], ['1.0 s', '6']];
        yield 'the quota is used up' => ['S7', ['nr_periods' => 10, 'nr_throttled' => 2], ['2', '10']];
        yield 'it swaps in' => ['S8', ['pswpin' => 257], ['257']];
        yield 'it swaps out' => ['S8', ['pswpout' => 5_000], ['5000']];
    }

    /**
     * @param array<string, int> $risen
     * @param list<string> $shown
     */
    #[Test]
    #[DataProvider('firing')]
    public function a_counter_that_rises_while_the_doctor_looks_is_a_fault(string $id, array $risen, array $shown): void
    {
        Examined::fires($id, $shown, $this->examined($id, $risen, "[ 1.000000] quiet\n"));
    }

    #[Test]
    #[Group('snapshot')]
    public function each_problem_has_its_message(): void
    {
        $words = '';

        foreach (self::firing() as $name => [$id, $risen]) {
            $words .= "{$id}, {$name}: "
                .$this->examined($id, $risen, "[ 1.000000] quiet\n")->problems()[0]->finding->message."\n";
        }

        $words .= 'S8, killed: '.$this->examined('S8', [], self::DMESG)->problems()[0]->finding->message;
        Snapshot::assertPrinted('doctor kernel', 'problems', $words);
    }

    /** @return iterable<string, array{string, array<string, int>, string, Status}> */
    public static function quiet(): iterable
    {
        foreach (['S2', 'S5', 'S7', 'S8'] as $id) {
            yield "{$id}: counted before, and not now" => [$id, [], "[    1.000000] quiet\n", Status::Pass];
        }

        yield 'S5: a notice of an hour ago' => ['S5', [], self::DMESG, Status::Pass];
        yield 'S7: one period in ten' => ['S7', ['nr_periods' => 10, 'nr_throttled' => 1], '', Status::Pass];
        yield 'S7: as good as idle' => ['S7', ['nr_periods' => 3, 'nr_throttled' => 3], '', Status::Pass];
        yield 'S8: a megabyte' => ['S8', ['pswpin' => 256, 'pswpout' => 256], "[ 1.000000] quiet\n", Status::Pass];
    }

    /** @param array<string, int> $risen */
    #[Test]
    #[DataProvider('quiet')]
    public function events_counted_before_are_no_fault(string $id, array $risen, string $log, Status $status): void
    {
        Examined::is($status, $this->examined($id, $risen, $log));
    }

    #[Test]
    public function processes_killed_today_are_a_fault_and_those_killed_before_are_not(): void
    {
        Examined::fires('S8', ['24', '50 min'], $this->examined('S8', [], self::DMESG));
        Examined::is(Status::Pass, $this->examined('S8', [], self::DMESG, '91400.6 1.0'));
        self::assertStringContainsString(
            '(mariadbd)',
            $this->examined('S8', [], self::DMESG)->problems()[0]->finding->evidence[3]->value,
        );
    }

    #[Test]
    public function an_unreadable_log_matters_only_where_the_kernel_has_killed(): void
    {
        Examined::is(Status::Unknown, $this->examined('S8', [], null));
        Examined::fires('S8', ['257'], $this->examined('S8', ['pswpin' => 257], null));
        $this->machine->has('/proc/vmstat', "pswpin 0\npswpout 0\noom_kill 0\n");
        $window = KernelWindow::measure([], $this->machine->files(), new Meanwhile(static fn (): null => null));
        Examined::is(Status::Pass, Examined::by('S8', [
            KernelWindow::class => static fn (): KernelWindow => $window,
            KernelLog::class => static fn (): KernelLog
                => throw UnreadableKernel::failed('dmesg', 1, 'Operation not permitted'),
        ]));
    }

    #[Test]
    public function a_kernel_that_does_not_tell_makes_it_unknown(): void
    {
        $window = KernelWindow::measure(
            ['php-fpm' => '/sys/fs/cgroup/cpu.stat'],
            $this->machine->files(),
            new Meanwhile(static fn (): null => null),
        );

        foreach (['S2', 'S5', 'S7', 'S8'] as $id) {
            Examined::is(
                Status::Unknown,
                Examined::by($id, [KernelWindow::class => static fn (): KernelWindow => $window]),
            );
        }

        $this->machine->has('/proc/self/net/netstat', "TcpExt: ListenOverflows ListenDrops\nTcpExt: 1 1\n");
        $old = KernelWindow::measure([], $this->machine->files(), new Meanwhile(static fn (): null => null));
        Examined::is(Status::Unknown, Examined::by('S5', [KernelWindow::class => static fn (): KernelWindow => $old]));
        Examined::is(Status::Pass, Examined::by('S2', [KernelWindow::class => static fn (): KernelWindow => $old]));
    }

    #[Test]
    public function servers_without_a_quota_pass_and_those_with_a_hidden_one_are_unknown(): void
    {
        $this->machine->has('/proc/21/comm', "redis-server\n");
        $window = KernelWindow::measure([], $this->machine->files(), new Meanwhile(static fn (): null => null));
        $examined = fn (): Report => Examined::by('S7', [
            KernelWindow::class => static fn (): KernelWindow => $window,
            ServerProcesses::class => fn (): ServerProcesses => ServerProcesses::running($this->machine->files()),
        ]);

        Examined::is(Status::Unknown, $examined());
        $this->machine->has('/proc/21/cgroup', "0::/\n")
            ->has('/proc/self/mountinfo', "31 23 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n")
            ->has('/sys/fs/cgroup/cpu.max', "max 100000\n");
        Examined::is(Status::Pass, $examined());
        self::assertSame([], ServerProcesses::running($this->machine->files())->quotas());
        $this->machine->has('/sys/fs/cgroup/cpu.max', "50000 100000\n");
        self::assertSame(
            ['redis-server in cgroup' => '/sys/fs/cgroup/cpu.stat'],
            ServerProcesses::running($this->machine->files())->quotas(),
        );
        $this->machine->has('/proc/22/comm', "postgres\n")
            ->has('/proc/22/cgroup', "0::/\n")
            ->has('/proc/23/comm', "postgrest\n")
            ->has('/proc/23/cgroup', "0::/\n");
        self::assertSame(
            ['redis-server, postgres in cgroup' => '/sys/fs/cgroup/cpu.stat'],
            ServerProcesses::running($this->machine->files())->quotas(),
        );
    }

    #[Test]
    public function an_unreadable_log_takes_nothing_from_the_counters(): void
    {
        Examined::is(Status::Pass, $this->examined('S5', [], null));
        Examined::fires('S5', ['1.0 s', '1'], $this->examined('S5', ['TCPReqQFullDrop' => 1], null));
    }

    #[Test]
    public function ports_are_counted_by_their_destination(): void
    {
        $table = static fn (string $to, int $count, string $state): string => implode(
            '',
            array_map(
                static fn (int $i): string => sprintf(
                    "%4d: 0A00000A:%04X %s:18EB %s 00000000:00000000 00:00000000 00000000 0 0 0\n",
                    $i,
                    40_000 + $i,
                    $to,
                    $state,
                ),
                range(0, $count - 1),
            ),
        );
        $ports = function (string $rows, string $reuse): Report {
            $this->machine->has('/proc/self/net/tcp', "  sl  local_address rem_address   st\n{$rows}")
                ->has('/proc/sys/net/ipv4/ip_local_port_range', "40000\t40099\n")
                ->has('/proc/sys/net/ipv4/tcp_tw_reuse', "{$reuse}\n");

            return Examined::by(
                'S3',
                [LocalPorts::class => fn (): LocalPorts => LocalPorts::read($this->machine->files())],
            );
        };

        Examined::fires('S3', ['10.0.0.11:6379', '51', '100'], $ports($table('0B00000A', 51, '06'), '2'));
        Examined::fires('S3', ['127.0.0.1:6379', '60', '100'], $ports($table('0100007F', 60, '01'), '2'));
        Examined::is(Status::Pass, $ports($table('0B00000A', 50, '06'), '2'));
        Examined::is(Status::Pass, $ports($table('0B00000A', 40, '06').$table('0C00000A', 40, '06'), '0'));
        Examined::is(Status::Pass, $ports($table('0100007F', 90, '06'), '2'));
        Examined::is(Status::Pass, $ports($table('0B00000A', 90, '06'), '1'));
        Examined::is(Status::Pass, $ports(str_replace(':9C', ':1C', $table('0B00000A', 90, '01')), '0'));
        Examined::is(Status::Unknown, $ports('', 'words'));
    }

    #[Test]
    public function files_that_a_server_has_open_are_held_against_its_limit(): void
    {
        $process = function (int $pid, string $name, int $open, string $limit): void {
            $this->machine->has("/proc/{$pid}/comm", "{$name}\n")->has(
                "/proc/{$pid}/limits",
                "Limit                     Soft Limit           Hard Limit           Units\nMax open files"
                    ."            {$limit}                 {$limit}                 files\n",
            );

            for ($fd = 0; $fd < $open; $fd++) {
                $this->machine->has("/proc/{$pid}/fd/{$fd}", '');
            }
        };
        $examined = fn (): Report => Examined::by(
            'S6',
            [ServerProcesses::class => fn (): ServerProcesses => ServerProcesses::running($this->machine->files())],
        );

        $process(10, 'bash', 9, '10');
        Examined::is(Status::Skipped, $examined());
        $process(11, 'redis-server', 8, '10');
        $process(12, 'php-fpm8.3', 30, 'unlimited');
        Examined::is(Status::Pass, $examined());
        $process(13, 'mariadbd', 9, '10');
        Examined::fires('S6', ['9', '10'], $examined());
        self::assertSame(
            'sudo prlimit --pid 13 --nofile=65536:65536',
            $examined()->problems()[0]->finding->fix->commands[0] ?? '',
        );
        $this->machine->has('/proc/14/comm', "mysqld\n")
            ->has('/proc/14/limits', "Max open files            1024                 1024                 files\n");
        self::assertSame(1, $examined()->count(Status::Unknown));
    }

    /** @param array<string, int> $risen */
    private function examined(string $id, array $risen, ?string $log, string $uptime = '8000.5 1.0'): Report
    {
        $this->write([]);
        $window = KernelWindow::measure(
            ['php-fpm' => '/sys/fs/cgroup/cpu.stat'],
            $this->machine->files(),
            new Meanwhile(fn () => $this->write($risen)),
        );
        $this->machine->has('/proc/sys/net/ipv4/tcp_max_syn_backlog', "512\n");

        return Examined::by($id, [
            KernelWindow::class => static fn (): KernelWindow => $window,
            KernelLog::class => static fn (): KernelLog => $log === null
                ? throw UnreadableKernel::failed('dmesg', 1, 'Operation not permitted')
                : KernelLog::parse($log, $uptime),
            Sysctl::class => fn (): Sysctl => new Sysctl($this->machine->files()),
        ]);
    }

    /** @param array<string, int> $risen */
    private function write(array $risen): void
    {
        $tcp = self::after(self::NETSTAT, $risen);
        $this->machine->has(
            '/proc/self/net/netstat',
            'TcpExt: '.implode(' ', array_keys($tcp))."\nTcpExt: ".implode(' ', $tcp)."\n",
        )
            ->has('/proc/vmstat', self::lines(self::after(self::VMSTAT, $risen)))
            ->has('/sys/fs/cgroup/cpu.stat', self::lines(self::after(self::STAT, $risen)));
    }

    /**
     * @param array<string, int> $counters
     * @param array<string, int> $risen
     * @return array<string, int>
     */
    private static function after(array $counters, array $risen): array
    {
        foreach ($counters as $name => $value) {
            $counters[$name] = $value + ($risen[$name] ?? 0);
        }

        return $counters;
    }

    /** @param array<string, int> $counters */
    private static function lines(array $counters): string
    {
        return implode(
            '',
            array_map(
                static fn (string $name, int $value): string => "{$name} {$value}\n",
                array_keys($counters),
                $counters,
            ),
        );
    }
}
