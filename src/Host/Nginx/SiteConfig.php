<?php

declare(strict_types=1);

namespace Headroom\Host\Nginx;

use Headroom\Process\InvalidServerConfig;
use Headroom\Process\UnixUser;

/**
 * A site that serves files of the document root and passes every other request to the front controller.
 *
 * @internal
 */
final readonly class SiteConfig implements NginxConfigTemplate
{
    /**
     * @param string $socket where FPM listens
     * @param ?UnixUser $account of nginx's workers; it must be able to open the socket
     * @param int<1, max> $processes
     * @param int<1, max> $connections per process; a request takes two, one on each side
     */
    public function __construct(
        public string $documentRoot,
        public string $frontController,
        public string $socket,
        public ?UnixUser $account = null,
        public ?string $statusPath = null,
        public bool $accessLog = false,
        public int $processes = 1,
        public int $connections = 4096,
        public int $backlog = 1024,
    ) {
        foreach ([$documentRoot, $frontController, $socket] as $path) {
            if (preg_match('/["\\\\$\0-\37]/', $path) !== 0) {
                throw InvalidServerConfig::text(
                    'A path for nginx',
                    $path,
                    'free of quotes, backslashes, dollar signs and control characters',
                );
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
            $this->accessLog ? "access_log \"{$directory}/access.log\" combined;" : 'access_log off;',
            'default_type application/octet-stream;',
            'types { text/html html; text/css css; text/javascript js; image/svg+xml svg; application/json json; }',
            'keepalive_timeout 75s;',
            'keepalive_requests 1000000;',
            'client_max_body_size 64m;',
            'client_body_buffer_size 256k;',
            'fastcgi_read_timeout 120s;',
            ...array_map(
                static fn (string $kind): string => "{$kind}_temp_path \"{$directory}/{$kind}\";",
                ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'],
            ),
            'server {',
            "listen 127.0.0.1:{$port} backlog={$this->backlog};",
            "root \"{$this->documentRoot}\";",
            'location / { try_files $uri @front; }',
            // nginx never serves PHP source.
            'location ~ \.php(/|$) { try_files /.none @front; }',
            $this->statusPath === null
                ? ''
                : "location = {$this->statusPath} { ".$this->fastcgi($this->statusPath).' }',
            'location @front { '.$this->fastcgi('/'.basename($this->frontController)).' }',
            '}',
            '}',
            '',
        ]);
    }

    private function fastcgi(string $scriptName): string
    {
        $params = [
            'QUERY_STRING' => '$query_string',
            'REQUEST_METHOD' => '$request_method',
            'CONTENT_TYPE' => '$content_type',
            'CONTENT_LENGTH' => '$content_length',
            'REQUEST_URI' => '$request_uri',
            'SCRIPT_NAME' => $scriptName,
            'SCRIPT_FILENAME' => $this->frontController,
            'DOCUMENT_ROOT' => $this->documentRoot,
            'SERVER_PROTOCOL' => '$server_protocol',
            'REQUEST_SCHEME' => '$scheme',
            'GATEWAY_INTERFACE' => 'CGI/1.1',
            'SERVER_SOFTWARE' => 'nginx',
            'REMOTE_ADDR' => '$remote_addr',
            'REMOTE_PORT' => '$remote_port',
            'SERVER_ADDR' => '$server_addr',
            'SERVER_PORT' => '$server_port',
            'SERVER_NAME' => '$host',
            // httpoxy: a client's Proxy header must not become an environment variable.
            'HTTP_PROXY' => '',
        ];
        $lines = array_map(
            static fn (string $name, string $value): string => "fastcgi_param {$name} \"{$value}\";",
            array_keys($params),
            $params,
        );

        return implode(' ', [...$lines, "fastcgi_pass \"unix:{$this->socket}\";"]);
    }
}
