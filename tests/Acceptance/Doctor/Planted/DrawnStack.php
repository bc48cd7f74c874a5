<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor\Planted;

use Random\Engine\Mt19937;
use Random\Randomizer;

/**
 * Figures of nginx and PHP-FPM drawn at random, on both sides of what their checks tell of.
 */
final class DrawnStack
{
    private function __construct(private readonly Randomizer $random) {}

    /** @return array{array<string, string>, array<string, string>} lines of Stack by what they are replaced with */
    public static function of(int $seed): array
    {
        $drawn = new self(new Randomizer(new Mt19937($seed)));

        return [$drawn->nginx(), $drawn->fpm()];
    }

    /** @return array<string, string> */
    private function nginx(): array
    {
        $inner = "        server 127.0.0.1:%PORT%;\n{$this->maybe('        keepalive 4;')}{$this->maybe(
            "        keepalive_timeout {$this->one('10s', '64s', '65s', '300s')};",
        )}";
        $proxy = "{$this->maybe(
            "            proxy_read_timeout {$this->one('2s', '30s', '59s', '120s')};",
        )}            proxy_pass http://inner;\n";
        $place = $this->maybe('            fastcgi_keep_conn on;').$this->maybe(
            "            fastcgi_read_timeout {$this->one('3s', '7s', '30s', '56s', '300s')};",
        );

        return [
            'worker_processes auto;' => "worker_processes {$this->one('1', '2', '8', 'auto')};",
            'worker_rlimit_nofile 8192;' => $this->one(
                '',
                'worker_rlimit_nofile 300;',
                'worker_rlimit_nofile 1024;',
                'worker_rlimit_nofile 8192;',
            ),
            '    worker_connections 4096;' =>
                "    worker_connections {$this->one('128', '256', '512', '1024', '4096')};",
            '    keepalive_timeout 65s;' => $this->one(
                '',
                '    keepalive_timeout 0;',
                '    keepalive_timeout 20s;',
                '    keepalive_timeout 65s;',
            ),
            '    keepalive_requests 1000;' => $this->one('', '    keepalive_requests 10;'),
            '        server unix:%DIR%/fpm.sock;' => "        server unix:%DIR%/fpm.sock;\n".$this->maybe(
                "        keepalive {$this->one('1', '2', '4', '30')};",
            ).$this->maybe('        keepalive_requests 200;'),
            '    upstream php {' => "    upstream inner {\n{$inner}    }\n    server {\n        listen"
                ." unix:%DIR%/outer.sock;\n        location / {\n{$proxy}        }\n    }\n    upstream php {",
            '            fastcgi_pass php;' => "{$place}            fastcgi_pass php;",
        ];
    }

    /** @return array<string, string> */
    private function fpm(): array
    {
        return [
            'process_control_timeout = 10s' => $this->one('', 'process_control_timeout = 10s'),
            'listen.backlog = 511' => "listen.backlog = {$this->one('16', '511')}",
            'pm = static' => $this->one(
                'pm = static',
                "pm = dynamic\npm.start_servers = 1\npm.min_spare_servers = 1\npm.max_spare_servers = 2",
            ),
            'pm.max_children = 4' => "pm.max_children = {$this->one('2', '4', '9')}\n".$this->maybe(
                "pm.max_requests = {$this->one('100', '499', '1000')}",
            ),
            'request_terminate_timeout = 55s' => $this->one(
                '',
                'request_terminate_timeout = 20s',
                'request_terminate_timeout = 55s',
                'request_terminate_timeout = 1000',
            ),
            'request_slowlog_timeout = 2s' => $this->one(
                '',
                'request_slowlog_timeout = 10s',
                'request_slowlog_timeout = 2s',
            ),
            'pm.status_listen = %DIR%/status.sock' => $this->one('', 'pm.status_listen = %DIR%/status.sock'),
        ];
    }

    private function maybe(string $line): string
    {
        return $this->one("{$line}\n", '');
    }

    private function one(string ...$of): string
    {
        return $of[$this->random->getInt(0, count($of) - 1)];
    }
}
