<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor;

use Closure;
use CurlHandle;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Fpm\Config\RunningMaster;
use Headroom\Doctor\Fpm\FpmPools;
use Headroom\Doctor\Fpm\FpmProbe;
use Headroom\Doctor\Kernel\CpuWindow;
use Headroom\Doctor\Kernel\MachineMemory;
use Headroom\Doctor\Kernel\Sysctl;
use Headroom\Doctor\Nginx\Fpm\ServedApplications;
use Headroom\Doctor\Nginx\NginxProbe;
use Headroom\Doctor\Nginx\NginxServer;
use Headroom\Doctor\Nginx\NginxServers;
use Headroom\Doctor\Report;
use Headroom\Doctor\Runner\CheckList;
use Headroom\Doctor\Runner\CheckRunner;
use Headroom\Process\ChildProcess;
use Headroom\Process\Proc;
use Headroom\Process\ProcessOptions;
use Headroom\Process\Programs;
use Headroom\Process\Signal;
use Headroom\Process\TemporaryDirectory;
use Headroom\Process\UnixUser;
use Headroom\Tests\Acceptance\Doctor\Fpm\Eventually;
use Headroom\Tests\Acceptance\Doctor\Planted\PrintedFix;
use PHPUnit\Framework\Assert;
use Symfony\Component\Process\Process;

/**
 * A real nginx and a real PHP-FPM that nothing is wrong with, but for the lines that a test puts in.
 */
final class Stack
{
    private readonly TemporaryDirectory $directory;

    private readonly ChildProcess $nginx;

    private readonly ChildProcess $fpm;

    private readonly int $port;

    /**
     * @param array<string, string> $nginx lines of its configuration by what they are replaced with
     * @param array<string, string> $fpm likewise
     * @param list<string> $ini what php.ini would say
     * @param ?string $script what is served in place of its own
     * @param array<string, string> $env of its processes
     */
    public function __construct(
        array $nginx = [],
        array $fpm = [],
        array $ini = [],
        ?string $script = null,
        array $env = [],
    ) {
        $this->directory = TemporaryDirectory::create('stack');
        chmod($this->directory->path, 0o755);
        StackFiles::write($this->directory, $script);
        $account = UnixUser::forWorkers('www-data');
        $owner = $account === null
            ? ''
            : "user = {$account->user}\ngroup = {$account->group}\nlisten.owner = {$account->user}\nlisten.group ="
                ." {$account->group}\n";
        $variables = implode(
            '',
            array_map(static fn (string $name): string => "env[{$name}] = {$env[$name]}\n", array_keys($env)),
        );
        $fpmFile = $this->directory->write('fpm.conf', StackFiles::planted(StackFiles::FPM, $fpm).$owner.$variables);
        $user = $account === null ? '' : "user = {$account->user}\ngroup = {$account->group}";
        file_put_contents(
            $fpmFile,
            strtr((string) file_get_contents($fpmFile), ['%DIR%' => $this->directory->path, '%USER%' => $user]),
        );
        $flags = array_merge(...array_map(
            fn (string $line): array => ['-d', str_replace('%DIR%', $this->directory->path, $line)],
            $ini,
        ));
        $this->fpm = ChildProcess::start(new ProcessOptions(
            'php-fpm',
            [Programs::fpm(), '--nodaemonize', '--fpm-config', $fpmFile, ...$flags],
            $this->directory->file('fpm.out'),
            ['PHP_INI_SCAN_DIR' => ":{$this->directory->file('conf.d')}"],
            [Signal::Quit, Signal::Terminate],
        ));
        $this->fpm->awaitReady(fn (): bool => file_exists($this->directory->file('fpm.sock')));
        [$this->port, $this->nginx] = OwnNginx::start(
            $this->directory,
            ($account === null ? '' : "user {$account->user} {$account->group};\n")
                .StackFiles::planted(StackFiles::NGINX, $nginx),
        );
    }

    public function __destruct()
    {
        $this->nginx->stop();
        $this->fpm->stop();
        $this->directory->remove();
    }

    /** @param self ...$others whose nginx runs too */
    public function examined(CheckList $checks, self ...$others): Report
    {
        $nginx = [
            $this->nginx->pid, ...array_values(array_map(static fn (self $other): int => $other->nginx->pid, $others)),
        ];

        return (new CheckRunner($checks))->run($this->facts([
            NginxServers::class => static fn (): NginxServers => self::servers($nginx),
        ]));
    }

    public function url(string $query = ''): string
    {
        return "http://127.0.0.1:{$this->port}/".($query === '' ? '' : "?{$query}");
    }

    /** @param list<int> $masters */
    private static function servers(array $masters): NginxServers
    {
        $all = (new NginxProbe(2))->servers();

        return NginxServers::of(
            array_values(array_filter(
                $all->known,
                static fn (NginxServer $server): bool => in_array($server->master->pid, $masters, true),
            )),
            array_intersect_key($all->unknown, array_flip($masters)),
        );
    }

    /** @param array<class-string, Closure(Facts): object> $more */
    public function facts(array $more = []): Facts
    {
        return new Facts($more + [
            NginxServers::class => fn (): NginxServers => self::servers([$this->nginx->pid]),
            FpmPools::class => $this->pools(...),
            ServedApplications::class => static fn (Facts $facts): ServedApplications
                => new ServedApplications($facts->get(FpmPools::class), $facts->get(NginxServers::class)),
            MachineMemory::class => static fn (): MachineMemory => MachineMemory::read(),
            CpuWindow::class => static fn (): CpuWindow => CpuWindow::measure(),
            Sysctl::class => static fn (): Sysctl => new Sysctl,
        ]);
    }

    public function pools(): FpmPools
    {
        return (new FpmProbe)->facts(array_values(array_filter(
            RunningMaster::all(),
            fn (RunningMaster $master): bool => $master->pid === $this->fpm->pid,
        )));
    }

    /** As a deploy does. */
    public function release(string $name): void
    {
        symlink("{$this->directory->path}/releases/{$name}", $this->directory->file('next'));
        rename($this->directory->file('next'), $this->directory->file('current'));
    }

    public function path(string $name): string
    {
        return $this->directory->file($name);
    }

    /** Has nginx write what it keeps back of its access log, and waits for so many lines. */
    public function logged(int $lines): void
    {
        posix_kill($this->nginx->pid, SIGUSR1);
        Eventually::true(fn (): bool => substr_count(
            (string) file_get_contents($this->path('access.log')),
            "\n",
        ) >= $lines);
    }

    /** Of PHP-FPM, which takes the signal when it comes to it. */
    public function reload(): void
    {
        $before = $this->workers();
        posix_kill($this->fpm->pid, SIGUSR2);
        $this->settle(["kill -USR2 {$this->fpm->pid}"], $before);
    }

    /** Does what a fix says as it stands there, and waits until it holds. */
    public function applyFix(Fix $fix): void
    {
        Assert::assertNotSame([], [...$fix->edits, ...$fix->commands], $fix->text);

        foreach ($fix->edits as $edit) {
            Assert::assertStringStartsWith("{$this->directory->path}/", $edit->file);
        }

        $before = $this->workers();
        PrintedFix::of($fix->toArray())->apply(static function (string $command): void {
            // A server that a command starts again would no longer be this stack's.
            if (str_contains($command, 'kill -QUIT ')) {
                return;
            }

            Process::fromShellCommandline(preg_replace('/(?<=\A|&& )sudo /', '', $command) ?? '')->mustRun();
        });

        $this->settle($fix->commands, $before);
    }

    /**
     * @return array<int, list<int>> the processes of PHP-FPM and nginx, by who has started them; nginx listens, is
     *     titled a master, and starts them, in that order
     */
    private function workers(): array
    {
        $proc = new Proc;

        return array_map(
            static fn (int $pid): array => array_keys($proc->children($pid)),
            [$this->fpm->pid => $this->fpm->pid, $this->nginx->pid => $this->nginx->pid],
        );
    }

    /**
     * A signal is taken when a server comes to it, which on a busy machine takes its time: who was told to read its
     * configuration again has new processes then.
     *
     * @param list<string> $commands
     * @param array<int, list<int>> $before
     */
    private function settle(array $commands, array $before): void
    {
        foreach ($before as $pid => $workers) {
            if ($workers !== [] && preg_grep("/\\bkill -(?:USR2|HUP) {$pid}\\z/", $commands) !== []) {
                Eventually::true(fn (): bool => array_diff($this->workers()[$pid], $workers) !== []);
            }
        }

        // And those of before go, sockets are listened at, and all start that shall: the fewer there are, the more of
        // what they share each seems to take.
        for ($look = 1, $seen = []; $look <= 20 && $seen !== $this->workers(); $look++) {
            $seen = $this->workers();
            usleep(400_000);
        }
    }

    /** @return list<int> the processes of its pool */
    public function children(): array
    {
        return array_merge(...array_map(
            fn (RunningMaster $master): array
                => $master->pid === $this->fpm->pid ? array_merge(...array_values($master->children())) : [],
            RunningMaster::all(),
        ));
    }

    /** @return string the body, '' when there was none */
    public function get(string $query = '', float $seconds = 5.0, string $path = '/'): string
    {
        return (string) @file_get_contents(
            "http://127.0.0.1:{$this->port}{$path}".($query === '' ? '' : "?{$query}"),
            false,
            stream_context_create(['http' => ['timeout' => $seconds, 'ignore_errors' => true]]),
        );
    }

    /** So many at once as one process can. */
    public function many(string $path, int $requests): void
    {
        $multi = curl_multi_init();
        /** @var list<CurlHandle> $free */
        $free = [];
        $busy = 0;

        for ($started = $answered = 0; $answered < $requests;) {
            while ($busy < 32 && $started < $requests) {
                $handle = array_pop($free) ?? curl_init("http://127.0.0.1:{$this->port}{$path}");
                curl_setopt(
                    $handle,
                    CURLOPT_WRITEFUNCTION,
                    static fn (mixed $handle, string $body): int => strlen($body),
                );
                curl_multi_add_handle($multi, $handle);
                $started++;
                $busy++;
            }

            curl_multi_exec($multi, $running);
            curl_multi_select($multi, 0.1);

            while (($done = curl_multi_info_read($multi)) !== false) {
                $handle = $done['handle'];
                Assert::assertInstanceOf(CurlHandle::class, $handle);
                Assert::assertSame(CURLE_OK, $done['result']);
                curl_multi_remove_handle($multi, $handle);
                $free[] = $handle;
                $answered++;
                $busy--;
            }
        }
    }

    /** @return resource of a client that asks and does not read the answer */
    public function stalled(string $query)
    {
        $client = stream_socket_client("tcp://127.0.0.1:{$this->port}");
        Assert::assertIsResource($client);
        fwrite($client, "GET /?{$query} HTTP/1.0\r\n\r\n");

        return $client;
    }

    /** @return list<Process> so many requests that take so long, under way */
    public function slow(int $requests, float $seconds): array
    {
        $started = [];

        for ($i = 0; $i < $requests; $i++) {
            $started[] = $process = new Process([
                PHP_BINARY,
                '-r',
                'echo file_get_contents($argv[1]);',
                "http://127.0.0.1:{$this->port}/?us=".(int) ($seconds * 1e6),
            ]);
            $process->start();
        }

        return $started;
    }
}
