<?php

declare(strict_types=1);

namespace Headroom\Dev\Nginx;

use Headroom\Host\Nginx\NginxConfigTemplate;
use Headroom\Process\InvalidServerConfig;
use Headroom\Process\UnixUser;

/**
 * An nginx configuration that passes all requests to other servers over persistent connections.
 *
 * @internal
 */
final readonly class ProxyConfig implements NginxConfigTemplate
{
    /**
     * @param non-empty-list<string> $servers each 'address:port' or 'unix:/path'
     * @param ?UnixUser $account user of nginx's workers, which must be able to open the sockets
     * @param int<1, max> $processes
     * @param int<1, max> $connections per process; a request uses two, one on each side
     * @param int<1, max> $kept idle connections to the servers that each process keeps open
     */
    public function __construct(
        public array $servers,
        public ?UnixUser $account = null,
        public int $processes = 1,
        public int $connections = 4096,
        public int $kept = 256,
    ) {
        foreach ($servers as $server) {
            if (preg_match('/\A(?:unix:\/[^"\\\\$;\0-\40]+|[0-9A-Za-z.:\[\]-]+:\d{1,5})\z/', $server) !== 1) {
                throw InvalidServerConfig::text('A server behind nginx', $server, "'address:port' or 'unix:/path'");
            }
        }
    }

    public function processes(): int
    {
        return $this->processes;
    }

    public function text(string $directory, int $port): string
    {
        return implode("\n", [
            $this->account === null ? '' : "user {$this->account->user} {$this->account->group};",
            'daemon off;',
            "worker_processes {$this->processes};",
            'worker_rlimit_nofile '.($this->connections * 2).';',
            "pid \"{$directory}/nginx.pid\";",
            "error_log \"{$directory}/nginx.log\" warn;",
            "events { worker_connections {$this->connections}; }",
            'http {',
            'access_log off;',
            'keepalive_timeout 75s;',
            'keepalive_requests 1000000;',
            'client_max_body_size 64m;',
            'client_body_buffer_size 256k;',
            ...array_map(
                static fn (string $kind): string => "{$kind}_temp_path \"{$directory}/{$kind}\";",
                ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'],
            ),
            'upstream behind {',
            ...array_map(static fn (string $server): string => "server {$server};", $this->servers),
            "keepalive {$this->kept};",
            '}',
            'server {',
            "listen 127.0.0.1:{$port} backlog=1024;",
            'location / {',
            'proxy_pass http://behind;',
            'proxy_http_version 1.1;',
            'proxy_set_header Connection "";',
            'proxy_set_header Host $http_host;',
            'proxy_set_header X-Forwarded-For $remote_addr;',
            'proxy_read_timeout 120s;',
            '}',
            '}',
            '}',
            '',
        ]);
    }
}
