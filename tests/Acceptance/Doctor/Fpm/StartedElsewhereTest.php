<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor\Fpm;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\FpmPools;
use Headroom\Doctor\Fpm\FpmProbe;
use Headroom\Doctor\Nginx\NginxProbe;
use Headroom\Doctor\Nginx\NginxServer;
use Headroom\Process\Programs;
use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Acceptance\Host\Needs;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;
use Throwable;

/**
 * Servers that were started in another directory, or see other files, while files of the same names
 * lie where the doctor is.
 */
final class StartedElsewhereTest extends TestCase
{
    private TemporaryDirectory $theirs;

    private TemporaryDirectory $decoy;

    private string $here;

    private ?Process $process = null;

    protected function setUp(): void
    {
        Needs::webStack();
        $this->theirs = TemporaryDirectory::create('theirs');
        $this->decoy = TemporaryDirectory::create('decoy');
        $this->here = (string) getcwd();
    }

    protected function tearDown(): void
    {
        $this->process?->stop(5, SIGTERM);

        if (isset($this->here)) {
            chdir($this->here);
            $this->theirs->remove();
            $this->decoy->remove();
        }
    }

    #[Test]
    public function a_relative_configuration_of_php_fpm_is_read_where_it_was_started(): void
    {
        $this->theirs->write('fpm.conf', $this->pool(7));
        $this->decoy->write('fpm.conf', $this->pool(70));
        $pid = $this->start([Programs::fpm(), '--nodaemonize', '-y', 'fpm.conf', ...self::root()], $this->theirs->path);
        chdir($this->decoy->path);
        $pool = $this->poolOf($pid);

        self::assertSame(7, $pool->integer('pm.max_children'));
        self::assertStringStartsWith("{$this->theirs->path}/fpm.conf:", $pool->evidence('pm.max_children')->source);
    }

    #[Test]
    public function a_configuration_that_is_mounted_for_php_fpm_alone_is_read(): void
    {
        posix_geteuid() === 0 || self::markTestSkipped('Only root may mount.');
        $mounted = $this->theirs->write('mounted.conf', $this->pool(7));
        $path = $this->decoy->write('fpm.conf', $this->pool(70));
        $script = 'mount --bind "$1" "$2" && exec "$3" --nodaemonize -y "$2" -R';
        $pid = $this->start(
            ['unshare', '--mount', 'sh', '-c', $script, 'sh', $mounted, $path, Programs::fpm()],
            $this->theirs->path,
        );
        $facts = (new FpmProbe)->facts();
        $mine = array_filter($facts->pools, static fn (FpmPool $pool): bool => $pool->master->pid === $pid);

        foreach ($mine as $pool) {
            self::assertSame(7, $pool->integer('pm.max_children'));
        }

        self::assertTrue($mine !== [] || isset($facts->unread[$pid]));
    }

    /** @return iterable<string, array{string, string}> what is mounted over what for the server alone */
    public static function mounts(): iterable
    {
        yield 'an included file' => ['theirs/a.conf', 'here/a.conf'];
        yield 'the directory of included files' => ['theirs', 'here'];
        yield 'the target of a link' => ['theirs/a.conf', 'linked/b.conf'];
    }

    #[Test]
    #[DataProvider('mounts')]
    public function an_include_that_is_mounted_for_php_fpm_alone_is_read(string $from, string $over): void
    {
        $this->plant($over, $this->pool(7), $this->pool(70), "[global]\ninclude = {$this->theirs->path}/here/*.conf\n");
        $pid = $this->startOver($from, $over, [
            Programs::fpm(), '--nodaemonize', '-y', $this->theirs->file('main.conf'), '-R',
        ]);

        self::assertSame(7, $this->poolOf($pid)->integer('pm.max_children'));
    }

    #[Test]
    #[DataProvider('mounts')]
    public function an_include_that_is_mounted_for_nginx_alone_is_never_read_here(string $from, string $over): void
    {
        $this->plant(
            $over,
            'worker_connections 77;',
            'worker_connections 99;',
            "daemon off;\npid {$this->theirs->file('nginx.pid')};\nerror_log stderr;\nevents { include"
                ." {$this->theirs->path}/here/*.conf; }\n",
        );
        $pid = $this->startOver($from, $over, [Programs::nginx(), '-c', $this->theirs->file('main.conf')]);

        self::assertArrayHasKey($pid, (new NginxProbe(2))->servers()->unknown);
    }

    private function plant(string $over, string $theirs, string $here, string $main): void
    {
        posix_geteuid() === 0 || self::markTestSkipped('Only root may mount.');
        array_map(fn (string $name): bool => mkdir($this->theirs->file($name)), ['theirs', 'here', 'linked']);
        $this->theirs->write('main.conf', $main);
        $this->theirs->write('theirs/a.conf', $theirs);
        $file = $this->theirs->write(str_contains($over, '/') ? $over : 'here/a.conf', $here);

        if (! is_file($this->theirs->file('here/a.conf'))) {
            symlink($file, $this->theirs->file('here/a.conf'));
        }
    }

    /** @param non-empty-list<string> $command */
    private function startOver(string $from, string $over, array $command): int
    {
        $script = 'mount --bind "$1" "$2" && shift 2 && exec "$@"';
        $paths = [$this->theirs->file($from), $this->theirs->file($over)];

        return $this->start(
            ['unshare', '--mount', 'sh', '-c', $script, 'sh', ...$paths, ...$command],
            $this->theirs->path,
        );
    }

    #[Test]
    public function a_prefix_that_no_title_tells_is_no_reason_to_find_nothing(): void
    {
        $conf = str_replace("listen = {$this->theirs->path}/", 'listen = ', $this->pool(7));
        $this->theirs->write('fpm.conf', $conf);
        $command = [Programs::fpm(), '--nodaemonize', '-p', $this->theirs->path, '-y', 'fpm.conf', ...self::root()];
        $this->start($command, $this->theirs->path);
        Eventually::true(fn (): bool => file_exists($this->theirs->file('s.sock')));

        $this->assertUnknownAt("unix:{$this->theirs->path}/s.sock");
    }

    #[Test]
    public function a_pool_whose_address_was_changed_without_a_reload_may_be_the_one(): void
    {
        $file = $this->theirs->write('fpm.conf', $this->pool(7));
        $this->start([Programs::fpm(), '--nodaemonize', '-y', $file, ...self::root()], $this->theirs->path);
        Eventually::true(fn (): bool => file_exists($this->theirs->file('s.sock')));
        self::assertNotNull($this->facts()->listeningAt("unix:{$this->theirs->path}/s.sock"));
        $this->theirs->write('fpm.conf', str_replace('s.sock', 'new.sock', $this->pool(7)));

        $this->assertUnknownAt("unix:{$this->theirs->path}/s.sock");
        self::assertNull($this->facts()->listeningAt("unix:{$this->theirs->path}/none.sock"));
    }

    private function assertUnknownAt(string $address): void
    {
        try {
            $this->facts()->listeningAt($address);
            self::fail('It was not unknown.');
        } catch (FactUnavailable $e) {
            self::assertStringContainsString($address, $e->getMessage());
        }
    }

    #[Test]
    public function what_this_user_may_not_see_is_unknown(): void
    {
        posix_geteuid() === 0 || self::markTestSkipped('Only root can become another user.');
        $this->theirs->write('fpm.conf', $this->pool(7));
        $this->decoy->write('fpm.conf', $this->pool(70));
        array_map(
            static fn (TemporaryDirectory $directory): bool => chmod($directory->path, 0o755),
            [$this->theirs, $this->decoy],
        );
        array_map(
            static fn (TemporaryDirectory $directory): bool => chmod($directory->file('fpm.conf'), 0o644),
            [$this->theirs, $this->decoy],
        );
        $pid = $this->start([Programs::fpm(), '--nodaemonize', '-y', 'fpm.conf', ...self::root()], $this->theirs->path);
        $doctor = dirname(__DIR__, 4).'/bin/headroom';
        $command = [
            'setpriv',
            '--reuid=www-data',
            '--regid=www-data',
            '--clear-groups',
            PHP_BINARY,
            $doctor,
            'doctor',
            '--only=F1',
            '--json',
            '--all',
        ];
        $asked = new Process($command, $this->decoy->path, ['PWD' => $this->decoy->path], null, 60);
        $asked->run();
        $document = json_decode($asked->getOutput(), true);
        is_array($document) || self::markTestSkipped("Another user may not run {$doctor}: {$asked->getErrorOutput()}");
        $findings = is_array($document['findings'] ?? null) ? $document['findings'] : [];
        $mine = array_values(array_filter(
            $findings,
            static fn (mixed $finding): bool => is_array($finding)
                && str_contains((string) json_encode($finding), (string) $pid),
        ));

        self::assertNotSame([], $mine);
        self::assertSame(
            [],
            array_filter(array_column($mine, 'status'), static fn (mixed $status): bool => $status !== 'unknown'),
        );
        self::assertStringNotContainsString('"70"', $asked->getOutput());
    }

    #[Test]
    public function a_relative_prefix_of_nginx_is_that_of_its_directory(): void
    {
        foreach ([[$this->theirs, 77], [$this->decoy, 99]] as [$directory, $connections]) {
            mkdir($directory->file('site'));
            $directory->write(
                'site/n.conf',
                "daemon off;\npid {$directory->file('nginx.pid')};\nerror_log stderr;\nevents { worker_connections"
                    ." {$connections}; }\n",
            );
        }

        $pid = $this->start([Programs::nginx(), '-p', 'site', '-c', 'n.conf'], $this->theirs->path);
        chdir($this->decoy->path);
        $mine = array_values(array_filter(
            (new NginxProbe(2))->servers()->known,
            static fn (NginxServer $server): bool => $server->master->pid === $pid,
        ));

        self::assertSame([77], array_map(
            static fn (NginxServer $server): ?int => $server->facts->workerConnections()->number(),
            $mine,
        ));
    }

    private function pool(int $children): string
    {
        $user = posix_geteuid() === 0 ? "user = www-data\ngroup = www-data\n" : '';

        return "[global]\nerror_log = {$this->theirs->path}/log\n[shop]\nlisten = {$this->theirs->path}/s.sock\npm ="
            ." static\n{$user}pm.max_children = {$children}\n";
    }

    /** @return list<string> */
    private static function root(): array
    {
        return posix_geteuid() === 0 ? ['-R'] : [];
    }

    private function poolOf(int $pid): FpmPool
    {
        $mine = array_values(array_filter(
            $this->facts()->pools,
            static fn (FpmPool $pool): bool => $pool->master->pid === $pid,
        ));

        return $mine[0] ?? self::fail(
            (string) json_encode(array_map(
                static fn (Throwable $why): string => $why->getMessage(),
                $this->facts()->unread,
            )),
        );
    }

    private function facts(): FpmPools
    {
        return (new FpmProbe)->facts();
    }

    /** @param non-empty-list<string> $command */
    private function start(array $command, string $directory): int
    {
        $this->process = new Process($command, $directory, timeout: null);
        $this->process->start();
        $pid = (int) $this->process->getPid();
        $title = static fn (): string => (string) @file_get_contents("/proc/{$pid}/cmdline");
        Eventually::true(static fn (): bool => str_contains($title(), ': master process'));

        return $pid;
    }
}
