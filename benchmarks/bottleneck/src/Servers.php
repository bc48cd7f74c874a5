<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Bottleneck;

use Headroom\Process\ChildProcess;
use Headroom\Process\Ports;
use Headroom\Process\Proc;
use Headroom\Process\ProcessOptions;
use Headroom\Process\Programs;
use Headroom\Process\Signal;
use Headroom\Process\TemporaryDirectory;
use Headroom\Process\UnixUser;
use Workbench\Rig\Rig;

/**
 * nginx and PHP-FPM in front of the application, configured for a stage and otherwise well.
 */
final readonly class Servers
{
    private const NGINX = <<<'CONF'
        daemon off;
        worker_processes 2;
        worker_rlimit_nofile 8192;
        pid %DIR%/nginx.pid;
        error_log %DIR%/nginx.log warn;
        events {
            worker_connections %CONNECTIONS%;
        }
        http {
            log_format timed '$remote_addr [$time_local] "$request" $status $request_time '
                '$upstream_connect_time $upstream_header_time $upstream_response_time';
            access_log %DIR%/access.log timed buffer=64k flush=1s;
            gzip on;
            gzip_types text/css application/javascript application/json;
            keepalive_timeout 65s;
            keepalive_requests %REQUESTS%;
            client_body_temp_path %DIR%/body;
            proxy_temp_path %DIR%/proxy;
            fastcgi_temp_path %DIR%/fastcgi;
            uwsgi_temp_path %DIR%/uwsgi;
            scgi_temp_path %DIR%/scgi;
            upstream phpfpm {
                server unix:%DIR%/fpm.sock;
        %KEEPALIVE%
            }
            server {
                listen 127.0.0.1:%PORT% backlog=4096;
                location / {
                    fastcgi_param SCRIPT_FILENAME %APP%/public/index.php;
                    fastcgi_param SCRIPT_NAME /index.php;
                    fastcgi_param REQUEST_METHOD $request_method;
                    fastcgi_param REQUEST_URI $request_uri;
                    fastcgi_param QUERY_STRING $query_string;
                    fastcgi_param CONTENT_TYPE $content_type;
                    fastcgi_param CONTENT_LENGTH $content_length;
                    fastcgi_param SERVER_PROTOCOL $server_protocol;
                    fastcgi_param SERVER_NAME $host;
                    fastcgi_param SERVER_PORT $server_port;
                    fastcgi_param REMOTE_ADDR $remote_addr;
        %KEEPCONN%
                    fastcgi_pass phpfpm;
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
        listen.backlog = %BACKLOG%
        pm = static
        pm.max_children = %CHILDREN%
        pm.max_requests = %MAX%
        pm.status_path = /fpm-status
        pm.status_listen = %DIR%/status.sock
        slowlog = %DIR%/slow.log
        request_slowlog_timeout = 10s
        request_slowlog_trace_depth = 60
        request_terminate_timeout = 55s
        php_admin_value[opcache.enable] = 1
        php_admin_value[opcache.validate_timestamps] = 0
        php_admin_value[opcache.interned_strings_buffer] = 16
        php_admin_value[opcache.max_accelerated_files] = 20000

        CONF;

    private TemporaryDirectory $directory;

    private ChildProcess $nginx;

    private ChildProcess $fpm;

    private int $port;

    public function __construct(Stage $stage, string $application, CpuQuota $quota)
    {
        $this->directory = TemporaryDirectory::create('bottleneck');
        chmod($this->directory->path, 0o755);
        $this->port = Ports::free();
        $account = UnixUser::forWorkers(Rig::user());
        $owner = $account === null
            ? ''
            : "user = {$account->user}\ngroup = {$account->group}\nlisten.owner = {$account->user}\nlisten.group ="
                ." {$account->group}\n";
        $values = $this->values($stage, $application);
        $fpm = $this->directory->write('fpm.conf', strtr(self::FPM, $values).$owner);
        $nginx = $this->directory->write(
            'nginx.conf',
            ($account === null ? '' : "user {$account->user} {$account->group};\n").strtr(self::NGINX, $values),
        );
        $root = $account?->isRoot() === true ? ['--allow-to-run-as-root'] : [];
        // PHP allocates shared memory before a pool starts, so only php.ini and the command line set its size.
        $memory = [
            '-d',
            'opcache.memory_consumption='.($stage->hasLargeLimits() ? 512 : 128),
            '-d',
            'opcache.interned_strings_buffer=16',
            '-d',
            'opcache.max_accelerated_files=20000',
        ];
        $this->fpm = ChildProcess::start(new ProcessOptions(
            'php-fpm',
            [...$quota->prefix(), Programs::fpm(), '--nodaemonize', '--fpm-config', $fpm, ...$memory, ...$root],
            $this->directory->file('fpm.out'),
            [],
            [Signal::Quit, Signal::Terminate],
        ));
        $this->fpm->awaitReady(
            fn (): bool => file_exists($this->directory->file('fpm.sock'))
                && count((new Proc)->children($this->fpm->pid)) >= $stage->children(),
        );
        $this->nginx = ChildProcess::start(new ProcessOptions(
            'nginx',
            [
                ...$quota->prefix(),
                Programs::nginx(),
                '-e',
                $this->directory->file('nginx.log'),
                '-p',
                $this->directory->path,
                '-c',
                $nginx,
            ],
            $this->directory->file('nginx.out'),
        ));
        $this->nginx->awaitReady(fn (): bool => Ports::accepts($this->port));
    }

    public function url(): string
    {
        return "http://127.0.0.1:{$this->port}/catalogue";
    }

    /** Files in its directory: nginx.log, fpm.log, slow.log, access.log. */
    public function file(string $name): string
    {
        return $this->directory->file($name);
    }

    public function stop(): void
    {
        $this->nginx->stop();
        $this->fpm->stop();
        $this->directory->remove();
    }

    /** @return array<string, string> */
    private function values(Stage $stage, string $application): array
    {
        return [
            '%DIR%' => $this->directory->path,
            '%APP%' => $application,
            '%PORT%' => (string) $this->port,
            '%CHILDREN%' => (string) $stage->children(),
            '%CONNECTIONS%' => $stage->hasLargeLimits() ? '2048' : '1024',
            '%REQUESTS%' => $stage->hasLargeLimits() ? '2048' : '1000',
            '%BACKLOG%' => $stage->hasLargeLimits() ? '3072' : '511',
            '%MAX%' => $stage->hasLargeLimits() ? '2048' : '500',
            "%KEEPALIVE%\n" => $stage->keepsConnections() ? "        keepalive 30;\n" : '',
            "%KEEPCONN%\n" => $stage->keepsConnections() ? "            fastcgi_keep_conn on;\n" : '',
        ];
    }
}
