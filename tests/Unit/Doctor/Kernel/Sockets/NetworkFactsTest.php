<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Kernel\Sockets;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Kernel\Counters;
use Headroom\Doctor\Kernel\Sockets\AcceptQueue;
use Headroom\Doctor\Kernel\Sockets\AcceptQueues;
use Headroom\Doctor\Kernel\Sockets\ListenSockets;
use Headroom\Doctor\Kernel\Sockets\TcpState;
use Headroom\Doctor\Kernel\Sockets\TcpTable;
use Headroom\Doctor\Kernel\Sysctl;
use Headroom\Doctor\Kernel\UnreadableKernel;
use Headroom\Tests\Unit\Doctor\Kernel\Machine;
use Headroom\Tests\Unit\Doctor\Kernel\MachineTestCase;
use Headroom\Tests\Unit\Support\ManualClock;
use PHPUnit\Framework\Attributes\Test;

final class NetworkFactsTest extends MachineTestCase
{
    // ss of iproute2 6.1: -xlnp, -xln and -ltnp.
    private const UNIX = <<<'TEXT'
        Netid State  Recv-Q Send-Q      Local Address:Port     Peer Address:PortProcess
        u_str LISTEN 6      16    /run/php/php8.2-fpm.sock 14030216            * 0    users:(("php-fpm8.2",pid=17489,fd=15),("php-fpm8.2",pid=17484,fd=11))
        u_str LISTEN 0      4096  @/tmp/.X11-unix/X0 14030217                  * 0
        u_str LISTEN 3      511   /run/with blank 7.sock 999                   * 0
        u_seq LISTEN 0      4096  /run/udev/control 1313                       * 0
        u_str LISTEN 1      2     /run/php/php8.2-fpm.sock.old 14030218        * 0
        TEXT;

    private const TCP = <<<'TEXT'
        State  Recv-Q Send-Q      Local Address:Port  Peer Address:PortProcess
        LISTEN 17     16              127.0.0.1:9000       0.0.0.0:*    users:(("php-fpm8.2",pid=17484,fd=12))
        LISTEN 0      511               0.0.0.0:80         0.0.0.0:*
        LISTEN 2      511                  [::]:80            [::]:*
        LISTEN 0      4096   [::ffff:127.0.0.1]:9300             *:*    users:(("java",pid=12895,fd=109))
        LISTEN 0      4096        127.0.0.53%lo:53         0.0.0.0:*
        LISTEN 0      4096                    *:8080             *:*
        TEXT;

    private const TABLE = <<<'TEXT'
          sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
           0: 0100007F:2328 00000000:0000 0A 00000000:00000011 00:00000000 00000000     0        0 14030218 1 00000000e776bd89 100 0 0 10 0
           1: 0100007F:18EB 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 14030215 1 0000000070dc1a1d 100 0 0 10 0
           2: 0100007F:D2F0 0100007F:18EB 01 00000000:00000000 00:00000000 00000000    33        0 14030300 1 0000000000000000 20 4 30 10 -1
           3: 0100007F:18EB 0100007F:D2F0 01 00000000:00000000 00:00000000 00000000   107        0 14030301 1 0000000000000000 20 4 30 10 -1
           4: 0100007F:D2F2 0100007F:18EB 06 00000000:00000000 03:00000F1D 00000000     0        0 0 3 0000000000000000
        12345: 0100007F:D2F4 0100007F:18EB 06 00000000:00000000 03:00000F1D 00000000     0        0 0 3 0000000000000000

        TEXT;

    private const TABLE6 = <<<'TEXT'
          sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
           0: 00000000000000000000000001000000:2328 00000000000000000000000000000000:0000 0A 00000000:00000002 00:00000000 00000000     0        0 1 1 0000000000000000 100 0 0 10 0
           1: 0000000000000000FFFF00000100007F:D2F6 0000000000000000FFFF00000100007F:18EB 01 00000000:00000000 00:00000000 00000000     0        0 2 1 0000000000000000 100 0 0 10 0

        TEXT;

    #[Test]
    public function waiting_connections_of_a_unix_socket_are_read_by_its_whole_path(): void
    {
        $queues = AcceptQueues::parse(self::UNIX, 'ss -xln');

        self::assertSame([], $queues->misread);
        self::assertSame([6, 16, 'ss -xln', false], self::queue($queues->ofUnix('/run/php/php8.2-fpm.sock')));
        self::assertSame([3, 511, 'ss -xln', false], self::queue($queues->ofUnix('/run/with blank 7.sock')));
        self::assertSame([0, 4_096, 'ss -xln', false], self::queue($queues->ofUnix('@/tmp/.X11-unix/X0')));
        self::assertSame(
            UnreadableKernel::notListening('/run/php', 'ss -xln')->getMessage(),
            self::failure(static fn (): AcceptQueue => $queues->ofUnix('/run/php'))->getMessage(),
        );
    }

    #[Test]
    public function waiting_connections_of_a_port_are_read_at_every_address(): void
    {
        $queues = AcceptQueues::parse(self::TCP, 'ss -tln');

        self::assertSame([], $queues->misread);
        self::assertSame([[17, 16, 'ss -tln', true]], array_map(self::queue(...), $queues->ofPort(9000)));
        self::assertSame(
            [0, 2],
            array_map(static fn (AcceptQueue $queue): int => $queue->waiting, $queues->ofPort(80)),
        );
        self::assertSame('*:8080', $queues->ofPort(8080)[0]->local);
        self::assertSame('[::ffff:127.0.0.1]:9300', $queues->ofPort(9300)[0]->local);
        $failure = self::failure(static fn (): array => $queues->ofPort(0));
        self::assertSame(UnreadableKernel::notListening('port 0', 'ss -tln')->getMessage(), $failure->getMessage());
    }

    #[Test]
    public function a_queue_is_full_when_one_more_than_its_limit_waits(): void
    {
        self::assertSame(
            [false, true, null],
            [
                (new AcceptQueue('', 16, 16, ''))->isFull(),
                (new AcceptQueue('', 17, 16, ''))->isFull(),
                (new AcceptQueue('', 17, null, ''))->isFull(),
            ],
        );
    }

    #[Test]
    public function output_that_is_cut_or_strange_is_named(): void
    {
        foreach ([self::UNIX, self::TCP] as $text) {
            for ($cut = 0, $length = strlen($text); $cut < $length; $cut++) {
                $queues = AcceptQueues::parse(substr($text, 0, $cut), 'ss');
                self::assertLessThanOrEqual(1, count($queues->misread));
            }
        }

        self::assertSame(['LISTEN viele 5'], AcceptQueues::parse("Netid\nLISTEN viele 5\nESTAB 0 0", 'ss')->misread);
    }

    #[Test]
    public function without_ss_the_table_of_the_kernel_tells_of_ports_only(): void
    {
        $sockets = new ListenSockets(
            null,
            $this->machine->has('/proc/self/net/tcp', self::TABLE)->has('/proc/self/net/tcp6', self::TABLE6)->files(),
        );

        self::assertSame(
            [[19, null, '/proc/self/net/tcp, /proc/self/net/tcp6', null]],
            array_map(self::queue(...), $sockets->port(9000)),
        );
        $failure = self::failure(static fn (): AcceptQueue => $sockets->unix('/run/php.sock'));
        self::assertEquals(
            UnreadableKernel::noProgram('ss', 'iproute2', 'ss -xln')->getMessage(),
            $failure->getMessage(),
        );
        self::assertSame('apt install iproute2 && ss -xln', $failure->command);
    }

    #[Test]
    public function sockets_of_another_network_are_not_looked_for_here(): void
    {
        $sockets = new ListenSockets(
            '/bin/false',
            $this->machine->links('/proc/self/ns/net', 'net:[1]')
                ->links('/proc/7/ns/net', 'net:[2]')
                ->links('/proc/8/ns/net', 'net:[1]')
                ->files(),
        );

        self::assertSame(
            'sudo nsenter -t 7 -n ss -xln',
            self::failure(static fn (): AcceptQueue => $sockets->unix('/run/php.sock', 7))->command,
        );
        self::assertMatchesRegularExpression(
            '/ 1\b/',
            self::failure(static fn (): array => $sockets->port(80, 8))->getMessage(),
        );
        self::assertMatchesRegularExpression(
            '/ 1\b/',
            self::failure(static fn (): array => $sockets->port(80, 9))->getMessage(),
        );
    }

    #[Test]
    public function connections_are_counted_at_the_end_that_called(): void
    {
        $table = TcpTable::read(
            'self',
            $this->machine->has('/proc/self/net/tcp', self::TABLE)->has('/proc/self/net/tcp6', self::TABLE6)->files(),
        );

        self::assertSame(
            [2, 2, 0],
            [
                $table->connectionsTo(6379, TcpState::Established),
                $table->connectionsTo(6379, TcpState::TimeWait),
                $table->connectionsTo(80, TcpState::Established),
            ],
        );
        self::assertSame([19, 0], [$table->waitingAt(9000), $table->waitingAt(6379)]);
        self::assertSame(
            "ss -ltn 'sport = :54000'",
            self::failure(static fn (): int => $table->waitingAt(54_000))->command,
        );
    }

    #[Test]
    public function a_machine_without_ipv6_has_one_table(): void
    {
        $table = TcpTable::read('7', $this->machine->has('/proc/7/net/tcp', self::TABLE)->files());

        self::assertSame([17, '/proc/7/net/tcp'], [$table->waitingAt(9000), $table->source]);
    }

    #[Test]
    public function counters_are_told_by_their_rise_in_a_window(): void
    {
        $clock = new ManualClock;
        $before = Counters::ofTcp('self', $this->netstat(40, 41)->files(), $clock);
        $clock->sleep(2_500_000);
        $after = Counters::ofTcp('self', $this->netstat(230, 241)->files(), $clock);

        self::assertSame(
            [190, 200, 2.5, '/proc/self/net/netstat'],
            [
                $after->rise('ListenOverflows', $before),
                $after->rise('ListenDrops', $before),
                $after->secondsSince($before),
                $after->source,
            ],
        );
        self::assertSame(7, $after->get('InNoRoutes'));
        self::assertNull($after->find('Nonsense'));
        // A restart in between: what is there has come since.
        self::assertSame(
            40,
            Counters::ofTcp('self', $this->netstat(40, 41)->files(), $clock)->rise('ListenOverflows', $after),
        );
    }

    #[Test]
    public function a_counter_that_is_not_there_is_unknown_and_not_zero(): void
    {
        $counters = Counters::ofTcp(
            'self',
            $this->machine->has('/proc/self/net/netstat', "TcpExt: ListenOverflows A\nTcpExt: 99999999999999999999 2\n")
                ->files(),
        );

        self::assertSame(2, $counters->get('A'));
        $overflows = self::failure(static fn (): int => $counters->get('ListenOverflows'))->getMessage();
        self::assertSame(
            UnreadableKernel::noField('/proc/self/net/netstat', 'ListenOverflows')->getMessage(),
            $overflows,
        );
        $memory = Counters::ofMemory($this->machine->has('/proc/vmstat', "oom_kill 3\n")->files());
        $swapped = self::failure(static fn (): int => $memory->get('pswpin'))->getMessage();
        self::assertSame(UnreadableKernel::noField('/proc/vmstat', 'pswpin')->getMessage(), $swapped);
    }

    #[Test]
    public function names_and_numbers_that_do_not_belong_together_are_refused(): void
    {
        foreach (["TcpExt: A B\nTcpExt: 1\n", "TcpExt: A\nIpExt: 1\n", "TcpExt: A\n\n"] as $text) {
            $files = $this->machine->has('/proc/self/net/netstat', $text)->files();
            $failure = self::failure(static fn (): Counters => Counters::ofTcp('self', $files));
            $malformed = UnreadableKernel::malformed('/proc/self/net/netstat', 2, explode("\n", $text)[1]);
            self::assertSame($malformed->getMessage(), $failure->getMessage());
        }
    }

    #[Test]
    public function counters_of_memory_and_of_a_cpu_quota_are_read(): void
    {
        $this->machine->has('/proc/vmstat', "nr_free_pages 1\npswpin 5\npswpout 6\noom_kill 7\n")
            ->has('/sys/fs/cgroup/cpu.stat', "usage_usec 10\nnr_periods 100\nnr_throttled 40\nthrottled_usec 999\n");
        $memory = Counters::ofMemory($this->machine->files());

        self::assertSame([5, 6, 7], [$memory->get('pswpin'), $memory->get('pswpout'), $memory->get('oom_kill')]);
        self::assertSame(40, Counters::ofFile('/sys/fs/cgroup/cpu.stat', $this->machine->files())->get('nr_throttled'));
    }

    #[Test]
    public function kernel_settings_are_single_values(): void
    {
        $sysctl = new Sysctl($this->machine
            ->has('/proc/sys/net/core/somaxconn', "4096\n")->has('/proc/sys/fs/file-max', "9223372036854775807\n")
            ->has('/proc/sys/vm/swappiness', "sechzig\n")
            ->has('/proc/sys/net/ipv4/ip_local_port_range', "32768\t60999\n")
            ->has('/sys/kernel/mm/transparent_hugepage/enabled', "always [madvise] never\n")
            ->files());

        self::assertSame(
            [4_096, PHP_INT_MAX, 28_232, 'madvise'],
            [
                $sysctl->integer('net.core.somaxconn'),
                $sysctl->integer('fs.file-max'),
                $sysctl->localPorts(),
                $sysctl->transparentHugePages(),
            ],
        );
        $swappiness = self::failure(static fn (): int => $sysctl->integer('vm.swappiness'))->getMessage();
        self::assertSame(
            UnreadableKernel::noField('/proc/sys/vm/swappiness', 'vm.swappiness')->getMessage(),
            $swappiness,
        );
        self::assertSame(
            'sudo cat /proc/sys/vm/overcommit_memory',
            self::failure(static fn (): int => $sysctl->integer('vm.overcommit_memory'))->command,
        );
    }

    #[Test]
    public function an_invalid_range_of_ports_is_unknown(): void
    {
        foreach (["60999\t32768\n", "1 2 3\n", "\n"] as $text) {
            $sysctl = new Sysctl($this->machine->has('/proc/sys/net/ipv4/ip_local_port_range', $text)->files());
            self::assertSame(
                'cat /proc/sys/net/ipv4/ip_local_port_range',
                self::failure($sysctl->localPorts(...))->command,
            );
        }
    }

    private function netstat(int $overflows, int $drops): Machine
    {
        return $this->machine->has(
            '/proc/self/net/netstat',
            "TcpExt: SyncookiesSent ListenOverflows ListenDrops\nTcpExt: 618 {$overflows} {$drops}\nIpExt:"
                ." InNoRoutes\nIpExt: 7\n",
        );
    }

    /** @return list<mixed> */
    private static function queue(AcceptQueue $queue): array
    {
        return [$queue->waiting, $queue->limit, $queue->source, $queue->isFull()];
    }

    /** @param callable(): mixed $call */
    private static function failure(callable $call): FactUnavailable
    {
        try {
            $call();
        } catch (FactUnavailable $e) {
            return $e;
        }

        self::fail('It is not known.');
    }
}
