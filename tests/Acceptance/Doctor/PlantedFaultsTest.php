<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor;

use Headroom\Doctor\Check;
use Headroom\Doctor\Checks\Checks;
use Headroom\Doctor\Diagnosis;
use Headroom\Doctor\Status;
use Headroom\Doctor\Verdict;
use Headroom\Tests\Support\Sample;
use LogicException;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * Faults planted one at a time in a real nginx and a real PHP-FPM: each is found and nothing else is, what is as near
 * to it as can be gives no alarm, and what the fix says, done as it stands there, makes it disappear.
 */
final class PlantedFaultsTest extends TestCase
{
    private const PASS = '            fastcgi_pass php;';

    private const SCRIPT = '            fastcgi_param SCRIPT_FILENAME %DIR%/index.php;';

    private const FORMAT = '    log_format timed \'$remote_addr - $remote_user [$time_local] "$request" $status'
        .' $body_bytes_sent "$http_referer" "$http_user_agent" request_time=$request_time'
        .' upstream_connect_time=$upstream_connect_time upstream_header_time=$upstream_header_time'
        .' upstream_response_time=$upstream_response_time\';';

    private const LOG = '    access_log %DIR%/access.log timed buffer=64k flush=5s;';

    private const KEEP = '            fastcgi_keep_conn on;';

    #[Test, Group('day-2')]
    public function a_stack_that_is_well_gives_no_alarm(): void
    {
        $stack = new Stack;
        self::assertSame('served', $stack->get());
        $diagnosis = $stack->examined(self::checks());

        self::assertSame([], self::found($diagnosis));

        foreach ($diagnosis->verdicts as $verdict) {
            self::assertContains(
                $verdict->finding->status,
                [Status::Pass, Status::Skipped],
                "{$verdict->rule->id}: {$verdict->finding->message}",
            );
        }
    }

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
        yield 'F9 nobody ends what hangs' => ['F9', [], ['request_terminate_timeout = 55s' => '']];
        yield 'F11 a reload that kills' => ['F11', [], ['process_control_timeout = 10s' => '']];
        yield 'O1 opcache is off' => [
            'O1',
            [],
            ['php_admin_value[opcache.enable] = 1' => 'php_admin_value[opcache.enable] = 0'],
        ];
        yield 'O5 files are looked at' => ['O5', [], ['php_admin_value[opcache.validate_timestamps] = 0' => '']];
    }

    /** @return array<string, array{string, array<string, string>, array<string, string>}> */
    public static function sampledFaults(): array
    {
        return Sample::of(self::faults(), 6);
    }

    /**
     * @param array<string, string> $nginx
     * @param array<string, string> $fpm
     */
    #[Test, Group('day-1')]
    #[DataProvider('sampledFaults')]
    public function a_planted_fault_is_found_alone_and_its_fix_helps(string $id, array $nginx, array $fpm): void
    {
        $stack = new Stack($nginx, $fpm);
        $diagnosis = $stack->examined(self::checks());
        $problems = $diagnosis->problems();
        $unknown = array_map(
            static fn (Verdict $verdict): string => "{$verdict->rule->id} {$verdict->finding->message}",
            array_filter(
                $diagnosis->verdicts,
                static fn (Verdict $verdict): bool => $verdict->finding->status === Status::Unknown,
            ),
        );
        self::assertSame(
            [$id],
            array_map(static fn (Verdict $verdict): string => $verdict->rule->id, $problems),
            implode("\n", $unknown),
        );

        $fix = $problems[0]->finding->fix;
        self::assertNotNull($fix);
        $stack->mend($fix);

        self::assertSame([], self::found($stack->examined(self::checks())));

        if ($id !== 'N10') {
            self::assertSame('served', $stack->get());
        }
    }

    /** @return iterable<string, array{array<string, string>, array<string, string>}> */
    public static function scripts(): iterable
    {
        $first = static fn (string $line): array => [self::PASS => "            {$line}\n".self::PASS];
        yield 'that compute without end' => [
            [],
            ['request_terminate_timeout = 55s' => 'php_admin_value[max_execution_time] = 0'],
        ];
        yield 'that compute for longer than nginx waits' => [
            $first('fastcgi_read_timeout 20s;'),
            ['request_terminate_timeout = 55s' => 'php_value[max_execution_time] = 21'],
        ];
        yield 'that may as long as PHP lets them' => [
            $first('fastcgi_read_timeout 7s;'),
            ['request_terminate_timeout = 55s' => ''],
        ];
        yield 'whose limit goes with the requests of a place' => [
            $first('fastcgi_param PHP_VALUE "memory_limit=64M\n max_execution_time = 600";'),
            ['request_terminate_timeout = 55s' => ''],
        ];
    }

    /**
     * @param array<string, string> $nginx
     * @param array<string, string> $fpm
     */
    #[Test, Group('day-3')]
    #[DataProvider('scripts')]
    public function scripts_that_outlive_the_patience_of_nginx_are_ended(array $nginx, array $fpm): void
    {
        $stack = new Stack($nginx, $fpm);
        $problems = $stack->examined(self::checks())->problems();
        $ids = array_map(static fn (Verdict $verdict): string => $verdict->rule->id, $problems);
        sort($ids);
        self::assertSame(['F9', 'N9'], $ids);

        // The fix of either is that of both.
        $stack->mend($problems[0]->finding->fix ?? throw new LogicException('N9 has a fix.'));
        self::assertSame([], self::found($stack->examined(self::checks())));
        self::assertSame('served', $stack->get());
    }

    #[Test, Group('day-3')]
    public function two_logs_without_times_are_fixed_one_after_the_other(): void
    {
        $stack = new Stack([
            self::FORMAT => '',
            self::LOG => "    access_log %DIR%/access.log combined buffer=64k flush=5s;\n    access_log"
                .' %DIR%/second.log combined buffer=64k flush=5s;',
        ]);
        $names = static fn (Diagnosis $diagnosis): array
            => array_map(static fn (Verdict $verdict): string => $verdict->rule->id, $diagnosis->problems());
        $diagnosis = $stack->examined(self::checks());
        self::assertSame(['N17', 'N17'], $names($diagnosis));
        $texts = array_map(
            static fn (Verdict $verdict): string => $verdict->finding->fix->edits[0]->new ?? '',
            $diagnosis->problems(),
        );
        self::assertStringContainsString('log_format timed ', $texts[0]);
        self::assertStringContainsString('log_format timed_2 ', $texts[1]);

        foreach ([['N17'], []] as $left) {
            $fix = $diagnosis->problems()[0]->finding->fix;
            self::assertNotNull($fix);
            $stack->mend($fix);
            $diagnosis = $stack->examined(self::checks());
            self::assertSame($left, $names($diagnosis));
        }

        self::assertSame('served', $stack->get());
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

    /** @return array<string, array{array<string, string>, array<string, string>}> */
    public static function sampledNearMisses(): array
    {
        return Sample::of(self::nearMisses(), 3);
    }

    /**
     * @param array<string, string> $nginx
     * @param array<string, string> $fpm
     */
    #[Test, Group('day-2')]
    #[DataProvider('sampledNearMisses')]
    public function a_near_miss_gives_no_alarm(array $nginx, array $fpm): void
    {
        self::assertSame([], self::found((new Stack($nginx, $fpm))->examined(self::checks())));
    }

    #[Test, Group('day-3')]
    public function processes_that_all_wait_are_found_and_so_is_the_queue_behind_them(): void
    {
        $stack = new Stack;
        $waiting = $stack->slow(4, 8.0);
        $found = self::until($stack, 'F2');
        self::assertMatchesRegularExpression('/^F2: \D*4 /', $found[0] ?? '');
        self::assertCount(1, $found);

        array_push($waiting, ...$stack->slow(2, 0.0));
        self::assertNotSame(
            [],
            array_filter(
                self::until($stack, 'F6: 2 '),
                static fn (string $line): bool => str_starts_with($line, 'F6: 2 '),
            ),
        );

        foreach ($waiting as $process) {
            $process->wait();
            self::assertSame('served', $process->getOutput());
        }

        self::assertSame([], self::found($stack->examined(self::checks())));
    }

    /** @return list<string> what is found once such a one is among it */
    private static function until(Stack $stack, string $prefix): array
    {
        // What asks a process of the pool would wait for one.
        $checks = array_values(array_filter(
            self::checks(),
            static fn (Check $check): bool => in_array($check->rule()->id, ['F2', 'F6'], true),
        ));

        for ($look = 0; $look < 40; $look++) {
            $found = self::found($stack->examined($checks));

            if (array_filter($found, static fn (string $line): bool => str_starts_with($line, $prefix)) !== []) {
                return $found;
            }

            usleep(50_000);
        }

        return $found ?? [];
    }

    /** @return list<Check> of what this machine's configuration can be examined for without an application */
    private static function checks(): array
    {
        return array_values(array_filter(
            Checks::all(),
            static fn (Check $check): bool => in_array($check->rule()->id[0], ['N', 'F', 'O', 'S'], true),
        ));
    }

    /** @return list<string> */
    private static function found(Diagnosis $diagnosis): array
    {
        return array_map(
            static fn (Verdict $verdict): string => "{$verdict->rule->id}: {$verdict->finding->message}",
            $diagnosis->problems(),
        );
    }
}
