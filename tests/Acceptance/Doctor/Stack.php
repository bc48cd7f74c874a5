<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor;

use Closure;
use Headroom\Doctor\Diagnosis;
use Headroom\Doctor\Examination;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Facts\Fpm\FpmPools;
use Headroom\Doctor\Facts\Fpm\FpmProbe;
use Headroom\Doctor\Facts\Fpm\RunningMaster;
use Headroom\Doctor\Facts\Kernel\CpuWindow;
use Headroom\Doctor\Facts\Kernel\MemoryOfMachine;
use Headroom\Doctor\Facts\Kernel\Sysctl;
use Headroom\Doctor\Facts\Nginx\NginxProbe;
use Headroom\Doctor\Facts\Nginx\NginxServer;
use Headroom\Doctor\Fix;
use Headroom\Host\Account;
use Headroom\Host\Daemon;
use Headroom\Host\Launch;
use Headroom\Host\Ports;
use Headroom\Host\Programs;
use Headroom\Host\Signal;
use Headroom\Host\TemporaryDirectory;
use PHPUnit\Framework\Assert;
use Symfony\Component\Process\Process;

/**
 * A real nginx and a real PHP-FPM that nothing is wrong with, but for the lines that a test puts in.
 */
final class Stack
{
    private const NGINX = <<<'CONF'
        daemon off;
        worker_processes auto;
        worker_rlimit_nofile 8192;
        pid %DIR%/nginx.pid;
        error_log %DIR%/nginx.log warn;
        events {
            worker_connections 4096;
        }
        http {
            log_format timed '$remote_addr [$time_local] "$request" $status $request_time $upstream_connect_time $upstream_header_time $upstream_response_time';
            access_log %DIR%/access.log timed buffer=64k flush=5s;
            gzip on;
            gzip_types text/css application/javascript application/json;
            keepalive_timeout 65s;
            keepalive_requests 1000;
            client_body_temp_path %DIR%/body;
            proxy_temp_path %DIR%/proxy;
            fastcgi_temp_path %DIR%/fastcgi;
            uwsgi_temp_path %DIR%/uwsgi;
            scgi_temp_path %DIR%/scgi;
            upstream php {
                server unix:%DIR%/fpm.sock;
            }
            server {
                listen 127.0.0.1:%PORT%;
                location / {
                    fastcgi_param SCRIPT_FILENAME %DIR%/index.php;
                    fastcgi_param REQUEST_METHOD $request_method;
                    fastcgi_param QUERY_STRING $query_string;
                    fastcgi_param REQUEST_URI $request_uri;
                    fastcgi_pass php;
                }
            }
        }

        CONF;

    private const FPM = <<<'CONF'
        [global]
        error_log = %DIR%/fpm.log
        process_control_timeout = 10s
        [www]
        listen = %DIR%/fpm.sock
        listen.backlog = 511
        pm = static
        pm.max_children = 4
        pm.status_path = /fpm-status
        pm.status_listen = %DIR%/status.sock
        slowlog = %DIR%/slow.log
        request_slowlog_timeout = 2s
        request_slowlog_trace_depth = 60
        request_terminate_timeout = 55s
        php_admin_value[opcache.enable] = 1
        php_admin_value[opcache.validate_timestamps] = 0

        CONF;

    private readonly TemporaryDirectory $directory;

    private readonly Daemon $nginx;

    private readonly Daemon $fpm;

    private readonly int $port;

    /**
     * @param array<string, string> $nginx lines of its configuration by what they are replaced with
     * @param array<string, string> $fpm likewise
     * @param list<string> $ini what php.ini would say
     * @param string $script what a request runs
     */
    public function __construct(array $nginx = [], array $fpm = [], array $ini = [], string $script = '<?php usleep((int) ($_GET["us"] ?? 0)); echo "served";')
    {
        $this->directory = TemporaryDirectory::create('stack');
        chmod($this->directory->path, 0o755);
        $this->directory->write('index.php', $script);
        chmod($this->directory->file('index.php'), 0o644);
        $this->port = Ports::free();
        $account = Account::forWorkers('www-data');
        $owner = $account === null ? '' : "user = {$account->user}\ngroup = {$account->group}\nlisten.owner = {$account->user}\nlisten.group = {$account->group}\n";
        $fpmFile = $this->directory->write('fpm.conf', self::planted(self::FPM, $fpm).$owner);
        $nginxFile = $this->directory->write('nginx.conf', ($account === null ? '' : "user {$account->user} {$account->group};\n").self::planted(self::NGINX, $nginx));

        foreach ([$fpmFile, $nginxFile] as $file) {
            file_put_contents($file, strtr((string) file_get_contents($file), ['%DIR%' => $this->directory->path, '%PORT%' => (string) $this->port]));
        }

        $flags = array_merge(...array_map(static fn (string $line): array => ['-d', $line], $ini));
        $this->fpm = Daemon::start(new Launch('php-fpm', [Programs::fpm(), '--nodaemonize', '--fpm-config', $fpmFile, ...$flags], $this->directory->file('fpm.out'), [], [Signal::Quit, Signal::Terminate]));
        $this->fpm->awaitReady(fn (): bool => file_exists($this->directory->file('fpm.sock')));
        $this->nginx = Daemon::start(new Launch('nginx', [Programs::nginx(), '-e', $this->directory->file('nginx.log'), '-p', $this->directory->path, '-c', $nginxFile], $this->directory->file('nginx.out')));
        $this->nginx->awaitReady(fn (): bool => Ports::accepts($this->port));
    }

    public function __destruct()
    {
        $this->nginx->stop();
        $this->fpm->stop();
        $this->directory->remove();
    }

    /** @param list<\Headroom\Doctor\Check> $checks */
    public function examined(array $checks): Diagnosis
    {
        return (new Examination($checks))->of($this->facts());
    }

    public function url(string $query = ''): string
    {
        return "http://127.0.0.1:{$this->port}/?{$query}";
    }

    /** @param array<class-string, Closure(Facts): object> $more */
    public function facts(array $more = []): Facts
    {
        return new Facts($more + [
            NginxServer::class => $this->nginx(...),
            FpmPools::class => fn (): FpmPools => (new FpmProbe)->facts(array_values(array_filter(RunningMaster::all(), fn (RunningMaster $master): bool => $master->pid === $this->fpm->pid))),
            MemoryOfMachine::class => static fn (): MemoryOfMachine => MemoryOfMachine::read(),
            CpuWindow::class => static fn (): CpuWindow => CpuWindow::look(),
            Sysctl::class => static fn (): Sysctl => new Sysctl,
        ]);
    }

    private function nginx(): NginxServer
    {
        foreach ((new NginxProbe(2))->examine() as $result) {
            if ($result->master?->pid === $this->nginx->pid) {
                return NginxServer::of([$result]);
            }
        }

        Assert::fail('The nginx of this test is not found.');
    }

    /** Does what a fix says as it stands there, and waits until it holds. */
    public function mend(Fix $fix): void
    {
        Assert::assertNotSame([], $fix->edits, $fix->text);

        foreach (array_reverse($fix->edits) as $edit) {
            Assert::assertStringStartsWith("{$this->directory->path}/", $edit->file);
            file_put_contents($edit->file, $edit->appliedTo((string) file_get_contents($edit->file)));
        }

        foreach ($fix->commands as $command) {
            Process::fromShellCommandline(preg_replace('/\Asudo /', '', $command) ?? '')->mustRun();
        }

        // The signal is taken when the servers come to it.
        usleep(700_000);
    }

    /** @return list<int> the processes of its pool */
    public function children(): array
    {
        $children = [];

        foreach (RunningMaster::all() as $master) {
            $children = $master->pid === $this->fpm->pid ? array_merge(...array_values($master->children())) : $children;
        }

        return $children;
    }

    /** @return string the body, '' when there was none */
    public function get(string $query = '', float $seconds = 5.0): string
    {
        return (string) @file_get_contents("http://127.0.0.1:{$this->port}/?{$query}", false, stream_context_create(['http' => ['timeout' => $seconds, 'ignore_errors' => true]]));
    }

    /** @return list<Process> so many requests that take so long, under way */
    public function slow(int $requests, float $seconds): array
    {
        $started = [];

        for ($i = 0; $i < $requests; $i++) {
            $started[] = $process = new Process([PHP_BINARY, '-r', 'echo file_get_contents($argv[1]);', "http://127.0.0.1:{$this->port}/?us=".(int) ($seconds * 1e6)]);
            $process->start();
        }

        return $started;
    }

    /** @param array<string, string> $lines */
    private static function planted(string $text, array $lines): string
    {
        foreach ($lines as $old => $new) {
            Assert::assertSame(1, substr_count($text, "{$old}\n"), "'{$old}' is once in the configuration.");
            $text = str_replace("{$old}\n", $new === '' ? '' : "{$new}\n", $text);
        }

        return $text;
    }
}
