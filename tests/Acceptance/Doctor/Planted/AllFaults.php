<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor\Planted;

/**
 * Faults of configuration that can exist together, in one stack. A fix must not cause a fault that another check
 * reports.
 */
final readonly class AllFaults
{
    /** By the ids of their rules, those of nginx and PHP-FPM. */
    public const WEB = [
        'N1',
        'N2',
        'N3',
        'N4',
        'N8',
        'N9',
        'N12',
        'N13',
        'N16',
        'N17',
        'N21',
        'F4',
        'F5',
        'F7',
        'F8',
        'F9',
        'F10',
        'F11',
        'O5',
    ];

    public const OTHERS = ['R1', 'R4', 'R5', 'R7', 'R11', 'R12', 'L4', 'L11', 'L12', 'L13', 'L16', 'D8'];

    /** Those that only people can fix. */
    public const PROSE = ['L16', 'R5'];

    private const PROXY = <<<'CONF'
            upstream inner {
                server 127.0.0.1:%PORT%;
                keepalive 4;
                keepalive_timeout 80s;
            }
            server {
                listen unix:%DIR%/outer.sock;
                location / {
                    proxy_read_timeout 2s;
                    proxy_pass http://inner;
                }
            }
            upstream php {
        CONF;

    public static function planting(): Planting
    {
        return new Planting(
            'all faults at once',
            '',
            nginx: self::nginx(),
            fpm: self::fpm(),
            redis: ['latency-monitor-threshold' => 0, 'timeout' => 20],
            env: [
                'APP_DEBUG' => 'true',
                'LOG_LEVEL' => 'debug',
                'REDIS_PERSISTENT' => 'false',
                'REDIS_CLIENT' => 'predis',
                'REDIS_HOST' => '127.0.0.1',
                'REDIS_PORT' => '%PORT%',
            ],
            config: [
                "'block_for' => 5" => "'block_for' => null",
                "'retry_after' => 90" => "'retry_after' => 60",
                "'timeout' => 80" => "'timeout' => 120",
                "['sync' => ['driver' => 'sync']," => "['sync' => ['driver' => 'sync'], 'slow' => ['driver' => 'redis',"
                    ." 'connection' => 'cache', 'queue' => 'slow', 'retry_after' => 90, 'block_for' => 4],",
                "'database' => 0, 'timeout' => 1, 'read_timeout' => 9" => "'persistent' => true",
                "'database' => 1, 'timeout' => 1, 'read_timeout' => 9" =>
                    "'database' => 1, 'read_timeout' => 2, 'read_write_timeout' => 2",
                "'lock_connection' => 'default'" => "'lock_connection' => 'cache'",
            ],
            sql: ['set global slow_query_log = 0', 'set global long_query_time = 10'],
        );
    }

    /** @return array<string, string> */
    public static function nginx(): array
    {
        return [
            'worker_processes auto;' => 'worker_processes 1;',
            'worker_rlimit_nofile 8192;' => 'worker_rlimit_nofile 128;',
            '    worker_connections 4096;' => '    worker_connections 256;',
            '    access_log %DIR%/access.log timed buffer=64k flush=5s;' => '    access_log %DIR%/access.log combined;',
            '    gzip on;' => '    gzip off;',
            '    keepalive_timeout 65s;' => '    keepalive_timeout 0;',
            '    keepalive_requests 1000;' => '    keepalive_requests 10;',
            '    upstream php {' => self::PROXY,
            '            fastcgi_pass php;' => "            fastcgi_next_upstream error timeout non_idempotent;\n"
                ."            fastcgi_read_timeout 3s;\n            fastcgi_keep_conn on;\n"
                .'            fastcgi_pass php;',
        ];
    }

    /** @return array<string, string> */
    public static function fpm(): array
    {
        return [
            'process_control_timeout = 10s' => '',
            'listen.backlog = 511' => 'listen.backlog = 16',
            'pm = static' => 'pm = ondemand',
            'pm.max_children = 4' => "pm.max_children = 4\npm.max_requests = 100",
            'pm.status_listen = %DIR%/status.sock' => '',
            'request_slowlog_timeout = 2s' => '',
            'request_slowlog_trace_depth = 60' => 'request_slowlog_trace_depth = 20',
            'php_admin_value[opcache.validate_timestamps] = 0' => '',
        ];
    }
}
