<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor\Planted;

/**
 * Configurations of nginx and PHP-FPM with one fault each, and the nearest ones that have none.
 */
final class WebFaults
{
    public const PASS = '            fastcgi_pass php;';

    public const SCRIPT = '            fastcgi_param SCRIPT_FILENAME %DIR%/index.php;';

    public const FORMAT = '    log_format timed \'$remote_addr - $remote_user [$time_local] "$request" $status'
        .' $body_bytes_sent "$http_referer" "$http_user_agent" request_time=$request_time'
        .' upstream_connect_time=$upstream_connect_time upstream_header_time=$upstream_header_time'
        .' upstream_response_time=$upstream_response_time\';';

    public const LOG = '    access_log %DIR%/access.log timed buffer=64k flush=5s;';

    private const KEEP = '            fastcgi_keep_conn on;';

    /** @return array<string, string> a server before the other one, with these lines in its location */
    private static function proxy(string $address, string $lines = '', string $upstream = ''): array
    {
        return ['    upstream php {' => <<<CONF
                {$upstream}
                server {
                    listen unix:%DIR%/proxy.sock;
                    location / {
                        {$lines}
                        proxy_pass {$address};
                    }
                }
                upstream php {
            CONF];
    }

    private static function kept(string $lines): string
    {
        return "upstream inner {\n        server 127.0.0.1:%PORT%;\n        keepalive 4;\n        {$lines}\n    }";
    }

    /** @return iterable<string, array{string, array<string, string>, array<string, string>}> as faults() */
    private static function slowLogs(): iterable
    {
        yield 'F8 no slow log' => ['F8', [], ['request_slowlog_timeout = 2s' => '']];
        yield 'F8 half a second, which is 500' => [
            'F8',
            [self::PASS => "            fastcgi_read_timeout 605s;\n".self::PASS],
            [
                'request_slowlog_timeout = 2s' => 'request_slowlog_timeout = 500ms',
                'request_terminate_timeout = 55s' => 'request_terminate_timeout = 600s',
            ],
        ];
        yield 'F8 half a second, cut to 0' => [
            'F8',
            [],
            ['request_slowlog_timeout = 2s' => 'request_slowlog_timeout = 0.5'],
        ];
        yield 'F8 short traces' => [
            'F8',
            [],
            ['request_slowlog_trace_depth = 60' => 'request_slowlog_trace_depth = 20'],
        ];
    }

    /** @return iterable<string, array{string, array<string, string>, array<string, string>}> */
    public static function faults(): iterable
    {
        $kept = static fn (string $keepalive): array => [
            '        server unix:%DIR%/fpm.sock;' =>
                "        server unix:%DIR%/fpm.sock;\n        keepalive {$keepalive};",
            self::PASS => self::KEEP."\n".self::PASS,
        ];

        yield 'N1 few connections' => ['N1', ['    worker_connections 4096;' => '    worker_connections 256;'], []];
        yield 'N1 few connections and as many files' => [
            'N1',
            [
                '    worker_connections 4096;' => '    worker_connections 256;',
                'worker_rlimit_nofile 8192;' => 'worker_rlimit_nofile 300;',
            ],
            [],
        ];
        yield 'N2 few files' => ['N2', ['worker_rlimit_nofile 8192;' => 'worker_rlimit_nofile 1024;'], []];
        yield 'N3 one worker' => ['N3', ['worker_processes auto;' => 'worker_processes 1;'], []];
        yield 'N4 keepalive without keep_conn' => [
            'N4',
            ['        server unix:%DIR%/fpm.sock;' => "        server unix:%DIR%/fpm.sock;\n        keepalive 30;"],
            [],
        ];
        yield 'N4 keep_conn without keepalive' => ['N4', [self::PASS => self::KEEP."\n".self::PASS], []];
        yield 'N8 a connection for each request' => [
            'N8',
            ['    keepalive_timeout 65s;' => '    keepalive_timeout 0;'],
            [],
        ];
        yield 'N8 few requests for each connection' => [
            'N8',
            ['    keepalive_requests 1000;' => '    keepalive_requests 10;'],
            [],
        ];
        yield 'N12 nothing is compressed' => ['N12', ['    gzip on;' => '    gzip off;'], []];
        yield 'N5 keepalive as the article had it' => [
            'N5', $kept('30'), ['pm.max_children = 4' => 'pm.max_children = 40'],
        ];
        yield 'N5 keepalive as large as the pool' => ['N5', $kept('2'), []];
        yield 'N6 connections outlive processes' => [
            'N6', $kept('1'), ['pm.max_children = 4' => "pm.max_children = 4\npm.max_requests = 500"],
        ];
        yield 'N9 PHP takes longer than nginx waits' => [
            'N9',
            [self::PASS => "            fastcgi_read_timeout 30s;\n".self::PASS],
            [],
        ];
        yield 'N13 line by line' => [
            'N13',
            ['    access_log %DIR%/access.log timed buffer=64k flush=5s;' => '    access_log %DIR%/access.log timed;'],
            [],
        ];
        yield 'N6 the same number does not help' => [
            'N6',
            [
                '        server unix:%DIR%/fpm.sock;' =>
                    "        server unix:%DIR%/fpm.sock;\n        keepalive 1;\n        keepalive_requests 500;",
                self::PASS => self::KEEP."\n".self::PASS,
            ],
            ['pm.max_children = 4' => "pm.max_children = 4\npm.max_requests = 500"],
        ];
        yield 'N9 nginx has little patience' => [
            'N9',
            [self::PASS => "            fastcgi_read_timeout 3s;\n".self::PASS],
            [],
        ];
        yield 'N17 a log without times' => [
            'N17',
            [self::LOG => '    access_log %DIR%/access.log combined buffer=64k flush=5s;', self::FORMAT => ''],
            [],
        ];
        yield 'N17 a log without times, of a name that is taken' => [
            'N17',
            [self::FORMAT => '    log_format timed \'$remote_addr\';'],
            [],
        ];
        yield 'N17 a log without times beside a format that has them' => [
            'N17',
            [self::LOG => '    access_log %DIR%/access.log combined buffer=64k flush=5s;'],
            [],
        ];
        yield 'N17 a log without times above a format that has them' => [
            'N17',
            [
                self::FORMAT => '',
                self::LOG => "    access_log %DIR%/access.log combined buffer=64k flush=5s;\n".self::FORMAT,
            ],
            [],
        ];
        yield 'N17 a log of a place beside a format that has the times' => [
            'N17',
            [self::PASS => "            access_log %DIR%/place.log combined buffer=64k flush=5s;\n".self::PASS],
            [],
        ];
        yield 'N10 a minute to connect' => ['N10', [self::PASS => '            fastcgi_pass 127.0.0.1:9;'], []];
        yield 'N16 a POST twice' => [
            'N16',
            [self::PASS => "            fastcgi_next_upstream error timeout non_idempotent;\n".self::PASS],
            [],
        ];
        yield 'N18 a link to a release' => [
            'N18',
            [
                self::SCRIPT => "            root %DIR%/current/public;\n            fastcgi_param SCRIPT_FILENAME"
                    .' $document_root/index.php;',
            ],
            [],
        ];
        yield 'N9 a slow log that waits longer than nginx' => [
            'N9',
            [self::PASS => "            fastcgi_read_timeout 3s;\n".self::PASS],
            ['request_slowlog_timeout = 2s' => 'request_slowlog_timeout = 10s'],
        ];
        yield 'N21 a proxy gives up first' => [
            'N21', self::proxy('http://127.0.0.1:%PORT%', 'proxy_read_timeout 20s;'), [],
        ];
        yield 'N21 a proxy gives up first, by default' => [
            'N21',
            [
                self::PASS => "            fastcgi_read_timeout 300s;\n".self::PASS,
            ] + self::proxy('http://localhost:%PORT%/'),
            ['request_terminate_timeout = 55s' => 'request_terminate_timeout = 120s'],
        ];
        yield 'N21 a proxy keeps connections longer' => [
            'N21', self::proxy('http://inner', upstream: self::kept('keepalive_timeout 80s;')), [],
        ];
        yield 'N21 as long as the server behind it' => [
            'N21',
            ['    keepalive_timeout 65s;' => '    keepalive_timeout 60s;'] + self::proxy(
                'http://inner',
                upstream: self::kept(''),
            ),
            [],
        ];
        yield 'F13 a log of FPM as it is by default' => [
            'F13',
            [],
            ['pm.status_path = /fpm-status' => "pm.status_path = /fpm-status\naccess.log = %DIR%/fpm-access.log"],
        ];
        yield 'F13 a log of FPM without CPU' => [
            'F13',
            [],
            [
                'pm.status_path = /fpm-status' => "pm.status_path = /fpm-status\naccess.log ="
                    ." %DIR%/fpm-access.log\naccess.format = \"%R %{mili}d %{kilo}M %s\"",
            ],
        ];
        yield 'F1 more than there is memory for' => [
            'F1',
            [],
            [
                'pm = static' =>
                    "pm = dynamic\npm.start_servers = 2\npm.min_spare_servers = 1\npm.max_spare_servers = 3",
                'pm.max_children = 4' => 'pm.max_children = 90000',
            ],
        ];
        yield 'F10 short lives' => ['F10', [], ['pm.max_children = 4' => "pm.max_children = 4\npm.max_requests = 100"]];
        yield 'O10 open_basedir' => [
            'O10',
            [],
            [
                'php_admin_value[opcache.enable] = 1' =>
                    "php_admin_value[opcache.enable] = 1\nphp_admin_value[open_basedir] = /tmp",
            ],
        ];
        yield 'F4 on demand' => ['F4', [], ['pm = static' => 'pm = ondemand']];
        yield 'F5 a short backlog' => ['F5', [], ['listen.backlog = 511' => 'listen.backlog = 16']];
        yield 'F7 a status page of the pool' => ['F7', [], ['pm.status_listen = %DIR%/status.sock' => '']];
        yield from self::slowLogs();
        yield 'F9 no limit ends a hanging request' => ['F9', [], ['request_terminate_timeout = 55s' => '']];
        yield 'F11 a reload that kills' => ['F11', [], ['process_control_timeout = 10s' => '']];
        yield 'O1 opcache is off' => [
            'O1',
            [],
            ['php_admin_value[opcache.enable] = 1' => 'php_admin_value[opcache.enable] = 0'],
        ];
        yield 'O5 files are looked at' => ['O5', [], ['php_admin_value[opcache.validate_timestamps] = 0' => '']];
    }

    /** @return iterable<string, array{array<string, string>, array<string, string>}> */
    public static function nearMisses(): iterable
    {
        yield 'keepalive that leaves one process' => [
            [
                '        server unix:%DIR%/fpm.sock;' => "        server unix:%DIR%/fpm.sock;\n        keepalive 1;",
                self::PASS => self::KEEP."\n".self::PASS,
            ],
            [],
        ];
        yield 'a socket has nothing to wait for' => [
            [self::PASS => "            fastcgi_connect_timeout 60s;\n".self::PASS],
            [],
        ];
        yield 'a next upstream for what may be repeated' => [
            [self::PASS => "            fastcgi_next_upstream error timeout;\n".self::PASS],
            [],
        ];
        yield 'PHP ends as nginx gives up' => [
            [self::PASS => "            fastcgi_read_timeout 55s;\n".self::PASS],
            [],
        ];
        yield 'processes of 500 requests' => [
            [],
            ['pm.max_children = 4' => "pm.max_children = 4\npm.max_requests = 500"],
        ];
        yield 'as many files as connections' => [['worker_rlimit_nofile 8192;' => 'worker_rlimit_nofile 4096;'], []];
        yield 'a hundred requests for each connection' => [
            ['    keepalive_requests 1000;' => '    keepalive_requests 100;'],
            [],
        ];
        yield 'two workers' => [['worker_processes auto;' => 'worker_processes 2;'], []];
        yield 'the directory of the release itself' => [
            [
                self::SCRIPT => "            root %DIR%/current/public;\n            fastcgi_param SCRIPT_FILENAME"
                    .' $realpath_root/index.php;',
            ],
            [],
        ];
        yield 'no link in the root' => [
            [
                self::SCRIPT => "            root %DIR%/releases/2/public;\n            fastcgi_param SCRIPT_FILENAME"
                    .' $document_root/index.php;',
            ],
            [],
        ];
        yield 'a link to what is no release' => [
            [
                self::SCRIPT => "            root %DIR%/moved/public;\n            fastcgi_param SCRIPT_FILENAME"
                    .' $document_root/index.php;',
            ],
            [],
        ];
        yield 'a log of FPM that tells' => [
            [],
            [
                'pm.status_path = /fpm-status' => "pm.status_path = /fpm-status\naccess.log ="
                    ." %DIR%/fpm-access.log\naccess.format = \"%{mili}d %{kilo}M %{user}C\"",
            ],
        ];
        yield 'files without much traffic' => [
            [self::SCRIPT => "            root %DIR%;\n            try_files \$uri /index.php =404;\n".self::SCRIPT],
            [],
        ];
        yield 'dynamic processes' => [
            [],
            ['pm = static' => "pm = dynamic\npm.start_servers = 2\npm.min_spare_servers = 1\npm.max_spare_servers = 3"],
        ];
        yield 'files are looked at once a minute' => [
            [],
            [
                'php_admin_value[opcache.validate_timestamps] = 0' =>
                    "php_admin_value[opcache.validate_timestamps] = 1\nphp_admin_value[opcache.revalidate_freq] = 60",
            ],
        ];
        yield 'a proxy that waits longer' => [self::proxy('http://127.0.0.1:%PORT%'), []];
        yield 'a proxy that waits as long as PHP-FPM' => [
            self::proxy('http://127.0.0.1:%PORT%', 'proxy_read_timeout 55s;'), [],
        ];
        yield 'a proxy that lets go first' => [
            self::proxy('http://inner', upstream: self::kept('keepalive_timeout 64s;')), [],
        ];
        yield 'a proxy to another machine' => [self::proxy('http://192.0.2.1:8080', 'proxy_read_timeout 1s;'), []];
        yield 'a log that is switched off' => [[self::LOG => '    access_log off;'], []];
    }
}
