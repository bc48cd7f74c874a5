<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor\UnderLoad\Waits;

use Headroom\Doctor\UnderLoad\Waits\ProcessWaits;
use Headroom\Doctor\UnderLoad\Waits\WaitKind;
use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Support\RealDisk;
use Headroom\Tests\Support\Redis\Installed;
use Headroom\Tests\Support\Redis\Patience;
use Headroom\Tests\Support\Redis\RedisServer;
use Headroom\Tests\Support\Sample;
use Headroom\Tests\Support\Sentence;
use Headroom\Tests\Support\Snapshot;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * Real processes with real waits: the wait and the peer are named, and an invisible one is not guessed.
 */
#[Group('snapshot')]
final class ProcessWaitsTest extends TestCase
{
    private ?TemporaryDirectory $directory = null;

    /** Why kinds() did not know a wait, the last time. */
    private string $unknown = '';

    protected function tearDown(): void
    {
        $this->directory?->remove();
    }

    /** @return iterable<string, array{string, WaitKind}> */
    public static function alone(): iterable
    {
        yield 'it computes' => ['while (true);', WaitKind::Working];
        yield 'it sleeps' => ['usleep(600_000_000);', WaitKind::Sleeping];
        yield 'it sleeps by the nanosecond' => ['time_nanosleep(600, 0);', WaitKind::Sleeping];
        yield 'it waits for a connection' => [
            'stream_socket_accept(stream_socket_server("tcp://127.0.0.1:0"), 600);', WaitKind::Idle,
        ];
        yield 'it accepts, and blocks' => ['socket_accept(socket_create_listen(0));', WaitKind::Idle];
        yield 'a pipe' => ['fgets(STDIN);', WaitKind::Other];
        yield 'a child' => [
            'proc_close(proc_open(["sleep", "60"], [["file", "/dev/null", "r"], ["file", "/dev/null", "w"], ["file",'
                .' "/dev/null", "w"]], $pipes));',
            WaitKind::Other,
        ];
    }

    #[Test, Group('day-2')]
    #[DataProvider('alone')]
    public function a_wait_without_another_end_is_told(string $code, WaitKind $kind): void
    {
        $wait = (new Script($code))->comesTo($kind);

        self::assertSame($kind === WaitKind::Other, $wait->why !== null);
        self::assertNull($wait->peer);

        if ($wait->why !== null) {
            Snapshot::assertPrinted('doctor waits', "{$this->dataName()}", $wait->why);
        }
    }

    /** State D is both of theirs: what a disk is waited for is told from what others do in a directory. */
    #[Test, Group('day-3')]
    public function a_crowd_in_one_directory_waits_for_its_lock_and_for_no_disk(): void
    {
        $this->directory = TemporaryDirectory::create('headroom-waits');
        $code = 'for (;;) { $file = $argv[1]."/".bin2hex(random_bytes(8)); touch($file); unlink($file);'
            .' scandir($argv[1]); }';
        $scripts = array_map(fn (): Script => new Script($code, $this->directory->path ?? ''), range(1, 8));

        // The journal of the file system is a disk now and then, for all of them at once;
        // so is what they are started from.
        Patience::until(function () use ($scripts): bool {
            $kinds = $this->kinds($scripts, WaitKind::KernelLock);
            self::assertSame(
                [],
                array_diff(
                    array_keys($kinds),
                    [WaitKind::Working->value, WaitKind::KernelLock->value, WaitKind::Disk->value],
                ),
                $this->unknown,
            );

            return $kinds[WaitKind::KernelLock->value] > 20 * ($kinds[WaitKind::Disk->value] ?? 0);
        }, 'it is the lock that they wait for');
    }

    #[Test, Group('day-2')]
    public function a_process_that_syncs_waits_for_the_disk(): void
    {
        RealDisk::isNeeded();
        $this->directory = TemporaryDirectory::create('headroom-waits');
        $code = '$file = fopen($argv[1]."/".getmypid(), "w"); for (;;) { ftruncate($file, 0); fwrite($file,'
            .' str_repeat("x", 1 << 20)); fsync($file); }';
        $kinds = $this->kinds(
            array_map(fn (): Script => new Script($code, $this->directory->path ?? ''), range(1, 3)),
            WaitKind::Disk,
        );

        // Each writes into a file of its own, once it has made it.
        self::assertGreaterThan(20 * ($kinds[WaitKind::KernelLock->value] ?? 0), $kinds[WaitKind::Disk->value]);
    }

    /** @return iterable<string, array{string, WaitKind}> */
    public static function toAServer(): iterable
    {
        foreach (['ss' => true, '/proc' => false] as $by => $withSs) {
            yield "curl, by {$by}" => ['curl_exec(curl_init("http://$argv[1]/"));', WaitKind::Reply, $withSs];
            yield "a stream, by {$by}" => ['file_get_contents("http://$argv[1]/");', WaitKind::Reply, $withSs];
            yield "select(), by {$by}" => [
                '$r = [stream_socket_client("tcp://$argv[1]")]; $w = $e = null; stream_select($r, $w, $e, 600);',
                WaitKind::Reply,
                $withSs,
            ];
            yield "recv(), by {$by}" => [
                '$s = socket_create(AF_INET, SOCK_STREAM, 0); socket_connect($s, ...explode(":", $argv[1]));'
                    .' socket_read($s, 1);',
                WaitKind::Reply,
                $withSs,
            ];
            yield "what it sends is not taken, by {$by}" => [
                '$s = stream_socket_client("tcp://$argv[1]"); while (true) { fwrite($s, str_repeat("x", 100_000)); }',
                WaitKind::Sending,
                $withSs,
            ];
        }
    }

    /** @return array<string, array{string, WaitKind}> */
    public static function sampledToAServer(): array
    {
        return Sample::of(self::toAServer(), 4);
    }

    #[Test, Group('day-2')]
    #[DataProvider('sampledToAServer')]
    public function a_server_that_does_not_answer_is_named(string $code, WaitKind $kind, bool $withSs): void
    {
        $server = stream_socket_server('tcp://127.0.0.1:0');
        self::assertNotFalse($server);
        $address = (string) stream_socket_get_name($server, false);
        $script = new Script($code, $address);
        $views = new Views($script->pid, ...($withSs ? [] : ['self']));
        $wait = $script->comesTo($kind, new ProcessWaits([], $views->files()));

        self::assertSame($address, $wait->peer?->address);
        self::assertSame(self::ownName(), $wait->peer->service);
        self::assertNull($wait->why);
        self::assertSame(
            'the pricing service',
            $script->comesTo($kind, new ProcessWaits([$address => 'the pricing service']))->peer?->service,
        );
    }

    /** @return iterable<string, array{string}> */
    public static function connecting(): iterable
    {
        yield 'curl' => ['curl_exec(curl_init("http://$argv[1]/"));'];
        yield 'a stream' => ['stream_socket_client("tcp://$argv[1]", timeout: 600);'];
        yield 'phpredis' => ['(new Redis)->connect("127.0.0.1", (int) explode(":", $argv[1])[1], 600);'];
        yield 'mysqlnd' => [
            'new PDO("mysql:host=127.0.0.1;port=".explode(":", $argv[1])[1], "u", "p", [PDO::ATTR_TIMEOUT => 600]);',
        ];
        yield 'connect() that blocks' => [
            'socket_connect(socket_create(AF_INET, SOCK_STREAM, 0), ...explode(":", $argv[1]));',
        ];
    }

    #[Test, Group('day-1')]
    #[DataProvider('connecting')]
    public function a_process_that_connects_names_its_other_end(string $code): void
    {
        // A queue that is full takes nobody: the kernel drops who knocks.
        $server = stream_socket_server(
            'tcp://127.0.0.1:0',
            flags: STREAM_SERVER_BIND | STREAM_SERVER_LISTEN,
            context: stream_context_create(['socket' => ['backlog' => 1]]),
        );
        self::assertNotFalse($server);
        $address = (string) stream_socket_get_name($server, false);
        $queue = array_map(
            static fn ()
                => stream_socket_client("tcp://{$address}", flags: STREAM_CLIENT_CONNECT | STREAM_CLIENT_ASYNC_CONNECT),
            range(1, 4),
        );
        $wait = (new Script($code, $address))->comesTo(WaitKind::Connecting);

        self::assertSame($address, $wait->peer?->address);
        unset($queue);
    }

    #[Test, Group('day-2')]
    public function a_unix_socket_is_named_by_its_path(): void
    {
        $path = $this->directory()->file('app.sock');
        $server = stream_socket_server("unix://{$path}");
        self::assertNotFalse($server);
        $script = new Script('$s = stream_socket_client("unix://$argv[1]"); echo fread($s, 1);', $path);
        $accepted = stream_socket_accept($server, 30);
        self::assertNotFalse($accepted);
        $wait = $script->comesTo(WaitKind::Reply);

        self::assertSame("unix:{$path} (".self::ownName().')', $wait->peer?->text());

        // ss does not see it in another network namespace, so its program is unknown.
        $views = new Views($script->pid, 'self');
        $wait = (new ProcessWaits([], $views->files()))->of([$script->pid])[0];
        self::assertSame([WaitKind::Reply, null], [$wait->kind, $wait->peer]);
        self::assertStringContainsString("sudo ss -xp | grep pid={$script->pid},", (string) $wait->why);
    }

    #[Test, Group('day-1')]
    public function a_unix_socket_that_accepts_no_client_is_named_by_its_path(): void
    {
        $path = $this->directory()->file('full.sock');
        $server = stream_socket_server(
            "unix://{$path}",
            flags: STREAM_SERVER_BIND | STREAM_SERVER_LISTEN,
            context: stream_context_create(['socket' => ['backlog' => 1]]),
        );
        self::assertNotFalse($server);
        $code = 'for ($i = 0; $i < 9; $i++) { $s[] = $n = socket_create(AF_UNIX, SOCK_STREAM, 0); socket_connect($n,'
            .' $argv[1]); }';

        self::assertSame(
            "unix:{$path} (".self::ownName().')',
            (new Script($code, $path))->comesTo(WaitKind::Connecting)->peer?->text(),
        );
    }

    #[Test]
    public function a_lock_that_another_holds_is_waited_for(): void
    {
        $path = $this->directory()->file('sess_secret');
        $lock = fopen($path, 'c');
        self::assertNotFalse($lock);
        flock($lock, LOCK_EX);
        $wait = (new Script('flock(fopen($argv[1], "c"), LOCK_EX);', $path))->comesTo(WaitKind::FileLock);

        self::assertNull($wait->why);
    }

    #[Test]
    public function a_session_that_another_request_has_is_a_file_lock(): void
    {
        $this->directory()->write('sess_abcdefgh', '');
        $code = 'session_save_path($argv[1]); session_id("abcdefgh"); session_start(); usleep((int) $argv[2]);';
        $holder = new Script($code, $this->directory()->path, '600000000');
        $holder->comesTo(WaitKind::Sleeping);

        (new Script($code, $this->directory()->path, '1'))->comesTo(WaitKind::FileLock);
    }

    #[Test]
    public function a_refused_file_makes_a_wait_unknown_with_the_command_that_tells(): void
    {
        if (posix_geteuid() !== 0) {
            self::markTestSkipped('Only root can become another user.');
        }

        $script = new Script('usleep(600_000_000);');
        $waits = new ProcessWaits;
        $script->comesTo(WaitKind::Sleeping, $waits);
        posix_seteuid(65534);

        try {
            $wait = $waits->of([$script->pid])[0];
        } finally {
            posix_seteuid(0);
        }

        self::assertSame(WaitKind::Unknown, $wait->kind);
        Sentence::assertNames(
            ["/proc/{$script->pid}/syscall", 'Permission denied', "sudo cat /proc/{$script->pid}/syscall"],
            (string) $wait->why,
        );
    }

    #[Test]
    public function a_process_that_has_ended_is_left_out(): void
    {
        $script = new Script('usleep(600_000_000);');
        $script->comesTo(WaitKind::Sleeping);
        posix_kill($script->pid, SIGKILL);
        Patience::until(static fn (): bool => (new ProcessWaits)->of([$script->pid]) === [], 'it has ended');

        self::assertCount(1, (new ProcessWaits)->of([$script->pid, (int) getmypid()]));
    }

    #[Test, Group('day-3')]
    public function a_process_that_was_stopped_waits_for_the_same_again(): void
    {
        Installed::phpRedis();
        $redis = RedisServer::start();

        // As the slow log does it to who is slow.
        foreach ([[Script::BLPOP, WaitKind::Reply], ['usleep(600_000_000);', WaitKind::Sleeping]] as [$code, $kind]) {
            $script = new Script($code, (string) $redis->port);
            $before = $script->comesTo($kind);
            posix_kill($script->pid, SIGSTOP);

            Snapshot::assertPrinted(
                'doctor waits',
                'a process that was stopped',
                (string) $script->comesTo(WaitKind::Other)->why,
            );

            posix_kill($script->pid, SIGCONT);

            self::assertEquals($before, $script->comesTo($kind));
        }
    }

    private function directory(): TemporaryDirectory
    {
        return $this->directory ??= TemporaryDirectory::create('waits');
    }

    private static function ownName(): string
    {
        return trim((string) file_get_contents('/proc/self/comm'));
    }

    /**
     * @param list<Script> $scripts
     * @return array<string, int> how often they were seen to do what, until one was seen a hundred times
     */
    private function kinds(array $scripts, WaitKind $awaited): array
    {
        $waits = new ProcessWaits;
        $times = [];

        Patience::until(function () use ($waits, $scripts, $awaited, &$times): bool {
            for ($look = 0; $look < 50; $look++) {
                foreach ($waits->of(array_map(static fn (Script $script): int => $script->pid, $scripts)) as $wait) {
                    $times[$wait->kind->value] = ($times[$wait->kind->value] ?? 0) + 1;
                    $this->unknown = $wait->kind === WaitKind::Unknown ? (string) $wait->why : $this->unknown;
                }
            }

            return ($times[$awaited->value] ?? 0) >= 100;
        }, "they wait for the {$awaited->value}");

        return $times;
    }
}
