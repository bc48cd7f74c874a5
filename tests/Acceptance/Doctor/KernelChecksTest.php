<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor;

use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Support\Redis\RedisServer;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/**
 * Faults that a real kernel shows: planted in a network or a control group of their own, found by the command as a user
 * calls it, and gone once they are fixed as it says.
 */
final class KernelChecksTest extends TestCase
{
    /** Listens with this backlog, and connects to itself again and again without ever accepting. */
    public const CROWD = '$s = socket_create(AF_INET, SOCK_STREAM, 0); %s socket_bind($s, "127.0.0.1", 7000);'
        .' socket_listen($s, %d); echo "ready\n"; for ($i = 0, $c = []; $i < 3000; $i++) { if ($i %% 20 === 0) { $c ='
        .' []; } $c[] = @stream_socket_client("tcp://127.0.0.1:7000", $e, $m, 0.01); usleep(20000); }';

    public const ACCEPTS = '$s = stream_socket_server("tcp://127.0.0.1:7000"); echo "ready\n";'
        .' while ($c = stream_socket_accept($s, 60)) { fread($c, 1); fclose($c); }';

    /** And goes, so often. */
    public const COMES = '$c = null; for ($i = 0; $i < (int) $argv[1];'
        .' $i++) { $c = stream_socket_client("tcp://127.0.0.1:7000"); fclose($c); }';

    public const DEFER = 'socket_set_option($s, SOL_TCP, 9, 60);';

    #[Test, Group('day-2')]
    public function connections_that_a_full_backlog_loses_are_counted_and_a_long_one_loses_none(): void
    {
        $network = OwnNetwork::create();
        self::assertSame([], self::found($network, 'S2'));
        $crowd = $network->start(sprintf(self::CROWD, '', 1));
        self::assertMatchesRegularExpression('/\d/', self::found($network, 'S2')[0]['message'] ?? '');
        $crowd->stop(0);
        self::assertSame([], self::found($network, 'S2'), 'What was lost before is no fault of now.');
        $patient = $network->start(sprintf(self::CROWD, '', 511));
        self::assertSame([], self::found($network, 'S2'));
        $patient->stop(0);
    }

    #[Test, Group('day-1')]
    public function a_queue_of_half_open_connections_that_is_full_is_found(): void
    {
        $network = OwnNetwork::create();
        $crowd = $network->start(sprintf(self::CROWD, self::DEFER, 4));
        self::assertMatchesRegularExpression('/\d/', self::found($network, 'S5')[0]['message'] ?? '');
        $crowd->stop(0);
        $patient = $network->start(sprintf(self::CROWD, self::DEFER, 511));
        self::assertSame([], self::found($network, 'S5'));
        $patient->stop(0);
    }

    #[Test]
    public function ports_of_closed_connections_are_found_and_the_fix_gives_them_back(): void
    {
        $network = OwnNetwork::create();
        $network->run('sysctl', '-qw', 'net.ipv4.ip_local_port_range=40000 40059', 'net.ipv4.tcp_tw_reuse=0');
        $server = $network->start(self::ACCEPTS);
        $connect = static fn (int $times): Process => $network->run(PHP_BINARY, '-r', self::COMES, (string) $times);
        $connect(25);
        self::assertSame([], self::found($network, 'S3'));
        $connect(15);
        $found = self::found($network, 'S3');
        self::assertMatchesRegularExpression('/\b127\.0\.0\.1:7000 \D+\d\d \D+60 /', $found[0]['message'] ?? '');

        $directory = TemporaryDirectory::create('sysctl');
        $file = $directory->write(
            '60-headroom.conf',
            implode("\n", array_column($found[0]['fix']['edits'], 'new'))."\n",
        );
        $network->run(...explode(
            ' ',
            strtr($found[0]['fix']['commands'][0], ['sudo ' => '', '/etc/sysctl.d/60-headroom.conf' => $file]),
        ));
        self::assertSame([], self::found($network, 'S3'));
        $directory->remove();
        $server->stop(0);
    }

    #[Test]
    public function a_redis_near_its_limit_of_files_is_found_and_the_fix_raises_it(): void
    {
        $redis = RedisServer::start();
        self::assertSame(1, preg_match('/process_id:(\d+)/', $redis->info('server'), $m));
        $held = array_map(static fn (): mixed => stream_socket_client("tcp://127.0.0.1:{$redis->port}"), range(1, 20));
        $redis->ask('PING');
        $open = count((array) scandir("/proc/{$m[1]}/fd")) - 2;
        $limit = static fn (int $files): Process
            => (new Process(['prlimit', '--pid', $m[1], "--nofile={$files}:"]))->mustRun();
        /** @phpstan-impure */
        $ofIt = static fn (): array => array_values(array_filter(
            self::found(null, 'S6'),
            static fn (array $finding): bool => $finding['subject'] === "{$redis->program()} {$m[1]}",
        ));

        $limit((int) ceil($open / 0.7));
        self::assertSame([], $ofIt());
        $limit((int) floor($open / 0.9));
        $found = $ofIt();
        self::assertCount(1, $found);
        Process::fromShellCommandline(str_replace('sudo ', '', $found[0]['fix']['commands'][0]))->mustRun();
        self::assertSame([], $ofIt());
        unset($held);
    }

    #[Test, Group('day-3')]
    public function a_quota_that_stops_a_server_is_found_and_gone_when_it_is_lifted(): void
    {
        $quota = TightQuota::of(0.1) ?? self::markTestSkipped('No control group can be made here.');
        $directory = TemporaryDirectory::create('throttled');
        // The kernel calls a program by what it was started as.
        symlink(PHP_BINARY, $directory->file('mariadbd'));
        $busy = new Process([
            $directory->file('mariadbd'), '-n', '-r', 'while (true) { for ($i = 0; $i < 1e6; $i++); }',
        ]);
        $busy->start();
        $quota->take((int) $busy->getPid());

        try {
            $subject = "mariadbd in {$quota->name()}";
            $found = array_column(self::found(null, 'S7'), 'message', 'subject');
            self::assertMatchesRegularExpression('/\b\d+ \D+\b\d+ /', $found[$subject] ?? '');
            $quota->lift();
            self::assertArrayNotHasKey($subject, array_column(self::found(null, 'S7'), 'message', 'subject'));
        } finally {
            $busy->stop(0);
            $quota->remove();
            $directory->remove();
        }
    }

    #[Test]
    public function without_root_a_hidden_file_is_unknown_with_a_command(): void
    {
        if (posix_geteuid() !== 0) {
            self::markTestSkipped('Only root can start a server of another user.');
        }

        $redis = RedisServer::start();
        self::assertSame(1, preg_match('/process_id:(\d+)/', $redis->info('server'), $m));
        // By the code itself, because the user nobody may not read the checkout.
        $process = new Process([
            'setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', 'ls', "/proc/{$m[1]}/fd",
        ]);
        self::assertNotSame(0, $process->run());

        $script = 'require "vendor/autoload.php"; posix_setgid(65534); posix_setuid(65534);'
            .' $of = new Headroom\Doctor\Kernel\Process\ServerProcess("redis-server", (int) $argv[1]);'
            .' echo $of->limits()->openFiles() > 0 ? "limit\n" : ""; try { $of->openFiles();'
            .' } catch (Headroom\Doctor\FactUnavailable $e) { echo $e->command, "\n"; }';
        $seen = (new Process([PHP_BINARY, '-r', $script, $m[1]], dirname(__DIR__, 3)))->mustRun()->getOutput();
        self::assertSame("limit\nsudo ls /proc/{$m[1]}/fd | wc -l\n", $seen);
    }

    /**
     * @return list<array{
     *     subject: string,
     *     message: string,
     *     fix: array{edits: list<array{new: string}>, commands: list<string>},
     * }>
     *
     * @phpstan-impure
     */
    private static function found(?OwnNetwork $network, string $id): array
    {
        $command = [PHP_BINARY, 'bin/headroom', 'doctor', "--only={$id}", '--json', '--fail-on=never'];
        $process = $network === null ? new Process($command, dirname(__DIR__, 3)) : $network->process($command);
        /**
         * @var array{
         *     findings: list<array{
         *         status: string,
         *         subject: string,
         *         message: string,
         *         fix: array{edits: list<array{new: string}>, commands: list<string>},
         *     }>,
         * } $read
         */
        $read = json_decode($process->mustRun()->getOutput(), true, flags: JSON_THROW_ON_ERROR);
        self::assertSame(
            [],
            array_intersect(
                ['crashed', 'unknown'],
                array_column(
                    array_filter($read['findings'], static fn (array $finding): bool => $id !== 'S6'),
                    'status',
                ),
            ),
            $process->getOutput(),
        );

        return array_values(array_filter(
            $read['findings'],
            static fn (array $finding): bool => in_array($finding['status'], ['warn', 'fail'], true),
        ));
    }
}
