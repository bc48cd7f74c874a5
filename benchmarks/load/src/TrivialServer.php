<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Load;

use Headroom\Process\ChildProcess;
use Headroom\Process\Ports;
use Headroom\Process\ProcessOptions;
use Headroom\Process\Programs;
use Headroom\Process\Signal;
use Headroom\Process\TemporaryDirectory;

/**
 * An nginx that answers at once with two bytes: the fastest target there is.
 */
final readonly class TrivialServer
{
    private function __construct(
        private ChildProcess $nginx,
        private TemporaryDirectory $directory,
        public string $url,
    ) {}

    public static function start(): self
    {
        $directory = TemporaryDirectory::create('bench-load');
        $port = Ports::free();
        $file = $directory->write('nginx.conf', <<<CONF
            daemon off;
            worker_processes 1;
            pid "{$directory->path}/pid";
            error_log "{$directory->path}/error.log" warn;
            events { worker_connections 2048; }
            http {
                access_log off;
                client_body_temp_path "{$directory->path}/body";
                proxy_temp_path "{$directory->path}/proxy";
                fastcgi_temp_path "{$directory->path}/fastcgi";
                uwsgi_temp_path "{$directory->path}/uwsgi";
                scgi_temp_path "{$directory->path}/scgi";
                keepalive_requests 100000000;
                server {
                    listen 127.0.0.1:{$port} backlog=1024;
                    location / { return 200 "ok"; }
                }
            }
            CONF);
        $nginx = ChildProcess::start(new ProcessOptions(
            'nginx',
            [Programs::nginx(), '-p', $directory->path, '-c', $file, '-e', "{$directory->path}/error.log"],
            $directory->file('out.log'),
            [],
            [Signal::Terminate],
        ));
        $nginx->awaitReady(static fn (): bool => Ports::accepts($port));

        return new self($nginx, $directory, "http://127.0.0.1:{$port}/");
    }

    public function stop(): void
    {
        $this->nginx->stop();
        $this->directory->remove();
    }
}
