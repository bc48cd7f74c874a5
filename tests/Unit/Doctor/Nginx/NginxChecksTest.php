<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Nginx;

use Headroom\Doctor\CheckResult;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Nginx\Config\NginxConfig;
use Headroom\Doctor\Nginx\Config\Parser;
use Headroom\Doctor\Nginx\NginxCheck;
use Headroom\Doctor\Nginx\NginxServer;
use Headroom\Doctor\Nginx\NginxServers;
use Headroom\Doctor\Report;
use Headroom\Doctor\Runner\CheckList;
use Headroom\Doctor\Runner\CheckRunner;
use Headroom\Doctor\Status;
use Headroom\Tests\Unit\Doctor\Nginx\Config\FilesInMemory;
use Headroom\Tests\Unit\Doctor\Support\Checks;
use Headroom\Tests\Unit\Doctor\Support\Examined;
use Headroom\Tests\Unit\Doctor\Support\WebServers;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * Checks of nginx where a running one cannot show it: versions that are not here, logs of other times, facts that are
 * not known.
 */
final class NginxChecksTest extends TestCase
{
    private WebServers $machine;

    protected function setUp(): void
    {
        $this->machine = new WebServers;
    }

    #[Test]
    public function only_lines_of_running_workers_count(): void
    {
        $line = static fn (int $pid): string => "2026/11/22 10:00:00 [warn] {$pid}#{$pid}: *7 an upstream response is"
            .' buffered to a temporary file /var/lib/nginx/fastcgi/1/00/01 while reading upstream, client: 127.0.0.1,'
            ." server: _, request: \"GET /report?secret=1 HTTP/1.1\", upstream: \"fastcgi://unix:/a:\", host: \"a\"\n";
        $log = $this->machine->path('error.log', str_repeat($line(9), 50).str_repeat($line(11), 9));
        $config = "error_log {$log} warn;\nhttp {\nserver {\nlocation / {\nfastcgi_pass unix:/a;\n}\n}\n}";
        self::assertSame(Status::Pass, $this->ofNginx('N11', $config)->status);

        file_put_contents($log, str_replace('GET /report?secret=1 HTTP/1.1', '7', $line(11)), FILE_APPEND);
        $finding = $this->ofNginx('N11', $config);
        Examined::shows(['10', '2026-11-22 10:00:00'], $finding->message);
        self::assertContains('GET /report', array_column($finding->evidence, 'what'));
    }

    /** @return iterable<string, array{string, string}> the last is what the message names */
    public static function logsThatTellNothing(): iterable
    {
        yield 'no path' => ['', 'error_log'];
        yield 'no warnings' => ['error_log /var/log/e.log crit;', 'crit'];
        yield 'a syslog' => ['error_log syslog:server=unix:/dev/log warn;', 'syslog'];
        yield 'not there' => ['error_log /nowhere/e.log warn;', '/nowhere/e.log'];
    }

    #[Test]
    #[DataProvider('logsThatTellNothing')]
    public function a_log_that_cannot_be_read_is_unknown(string $said, string $shown): void
    {
        $finding = $this->ofNginx('N11', "{$said}\nhttp {\nserver {\nlocation / {\nfastcgi_pass unix:/a;\n}\n}\n}");

        self::assertSame(Status::Unknown, $finding->status);
        Examined::shows([$shown], $finding->message);
        self::assertNotSame([], $finding->fix->commands ?? []);
    }

    #[Test]
    public function without_buffers_nothing_goes_through_a_file(): void
    {
        self::assertSame(
            Status::Skipped,
            $this->ofNginx(
                'N11',
                "http {\nserver {\nlocation / {\nfastcgi_buffering off;\nfastcgi_pass unix:/a;\n}\n}\n}",
            )->status,
        );
    }

    /** @return iterable<string, array{string, int, Status}> */
    public static function traffic(): iterable
    {
        yield 'many files' => ['/build/app.css?v=1', 300, Status::Warn];
        yield 'not so many' => ['/build/app.css', 299, Status::Pass];
        yield 'pages' => ['/build', 900, Status::Pass];
    }

    #[Test]
    #[DataProvider('traffic')]
    public function files_are_counted_by_the_second(string $path, int $count, Status $status): void
    {
        $log = $this->machine->path(
            'access.log',
            str_repeat(
                "127.0.0.1 - - [22/Nov/2026:10:00:00 +0000] \"GET {$path} HTTP/1.1\" 200 5 \"-\" \"-\"\n",
                $count,
            )
                .str_repeat(
                    "127.0.0.1 - - [22/Nov/2026:10:00:01 +0000] \"GET {$path} HTTP/1.1\" 404 5 \"-\" \"-\"\n",
                    500,
                ),
        );

        self::assertSame(
            $status,
            $this->ofNginx('N14', "http {\naccess_log {$log};\nserver {\ntry_files \$uri /x;\n}\n}")->status,
        );
        self::assertSame(
            Status::Pass,
            $this->ofNginx(
                'N14',
                "http {\naccess_log {$log};\nopen_file_cache max=9;\nserver {\ntry_files \$uri /x;\n}\n}",
            )->status,
        );
        self::assertSame(
            Status::Unknown,
            $this->ofNginx('N14', "http {\naccess_log off;\nserver {\ntry_files \$uri /x;\n}\n}")->status,
        );
        self::assertSame(
            Status::Unknown,
            $this->ofNginx('N14', "http {\naccess_log {$log}.gone;\nserver {\ntry_files \$uri /x;\n}\n}")->status,
        );
    }

    #[Test]
    public function a_page_counts_where_the_log_tells_that_php_made_it(): void
    {
        $line = static fn (
            string $path,
            string $time,
            string $status = '200',
        ): string => "127.0.0.1 - - [22/Nov/2026:10:00:00 +0000] \"GET {$path} HTTP/1.1\" {$status} 5 \"-\" \"-\""
            ." request_time=0.010 upstream_response_time={$time}\n";
        $log = $this->machine->path(
            'access.log',
            str_repeat($line('/news', '0.010'), 19).str_repeat($line('/', '-'), 99)
                .str_repeat($line('/a?b', '0.010'), 99).str_repeat($line('/login', '0.010', '302'), 99),
        );
        $config = static fn (
            string $more,
            string $format = '$upstream_response_time',
        ): string => "http {\nlog_format timed '\$remote_addr {$format}';\naccess_log {$log} timed;\nserver {\nlocation"
            ." / {\n{$more}\nfastcgi_pass unix:/a;\n}\n}\n}";
        self::assertSame(Status::Pass, $this->ofNginx('N19', $config(''))->status);

        file_put_contents($log, $line('/news', '0.010'), FILE_APPEND);
        self::assertTrue($this->ofNginx('N19', $config(''))->status->isProblem());
        Examined::shows(['/news', '20'], $this->ofNginx('N19', $config(''))->message);
        self::assertSame(Status::Skipped, $this->ofNginx('N19', $config('fastcgi_cache pages;'))->status);
        self::assertSame(Status::Unknown, $this->ofNginx('N19', $config('', '$request_time'))->status);
        file_put_contents($log, "{}\n{}\n");
        self::assertSame(Status::Unknown, $this->ofNginx('N19', $config(''))->status);
    }

    #[Test]
    public function a_log_without_a_line_to_change_is_told_the_format(): void
    {
        foreach ([
            "http { access_log /a.log;\nserver {\n}\n}",
            "http {\nserver {\naccess_log /a.log;\n}\n}",
            "http {\nserver {\n}\n}",
        ] as $config) {
            $fix = $this->ofNginx('N17', $config)->fix;

            self::assertSame([], $fix->edits ?? null);
            self::assertStringContainsString("log_format timed '", $fix->text ?? '');
        }
    }

    #[Test]
    public function a_root_that_only_a_request_tells_is_unknown(): void
    {
        $config = static fn (string $root): string => "http {\nserver {\n{$root}\nlocation / {\nfastcgi_param"
            ." SCRIPT_FILENAME \$document_root\$fastcgi_script_name;\nfastcgi_pass unix:/a;\n}\n}\n}";

        self::assertSame(Status::Unknown, $this->ofNginx('N18', $config('root /srv/$host;'))->status);
        self::assertSame(Status::Unknown, $this->ofNginx('N18', $config(''))->status);
        self::assertSame(Status::Pass, $this->ofNginx('N18', $config('root /nowhere/public;'))->status);
    }

    #[Test]
    public function each_of_several_nginx_is_examined_and_unknown_ones_are_named(): void
    {
        $from = static fn (string $file, int $workers): NginxConfig => Parser::files(
            new FilesInMemory([$file => "worker_processes {$workers};\nhttp {\nserver {\n}\n}"]),
            $file,
        );
        $all = $this->machine->nginx([
            10 => $from('/etc/one.conf', 2),
            20 => $from('/etc/two.conf', 1),
            30 => $from('/etc/two.conf', 1),
            40 => null,
        ]);
        $verdicts = self::examined('N3', $all)->results;

        self::assertSame(
            [
                'N3 nginx of /etc/two.conf with pid 20 warn',
                'N3 nginx of /etc/two.conf with pid 30 warn',
                'N3 nginx with pid 40 unknown',
                'N3 nginx of /etc/one.conf pass',
            ],
            array_map(
                static fn (CheckResult $verdict): string => "{$verdict->key()} {$verdict->finding->status->value}",
                $verdicts,
            ),
        );
    }

    #[Test]
    public function each_of_several_nginx_is_examined_once(): void
    {
        $all = $this->machine->nginx(array_map(
            static fn (string $file): NginxConfig => Parser::files(new FilesInMemory([$file => 'events {}']), $file),
            [10 => '/etc/one.conf', 20 => '/etc/two.conf'],
        ));
        $check = new class implements NginxCheck
        {
            /** @var list<int> */
            public array $examined = [];

            public function examine(NginxServer $nginx, Facts $facts): iterable
            {
                $this->examined[] = $nginx->master->pid;

                return [Finding::pass('well')];
            }
        };
        $verdicts = (new CheckRunner(CheckList::ofPackage()->only([])->with('N1', $check)))->run(new Facts([
            NginxServers::class => static fn (): NginxServers => $all,
        ]))->results;

        self::assertSame([10, 20], $check->examined);
        self::assertSame(
            ['nginx of /etc/one.conf', 'nginx of /etc/two.conf'],
            array_map(static fn (CheckResult $verdict): string => $verdict->finding->subject, $verdicts),
        );
    }

    #[Test]
    public function a_log_is_read_once_for_all_checks(): void
    {
        $log = $this->machine->path(
            'access.log',
            "127.0.0.1 - - [22/Nov/2026:10:00:00 +0000] \"GET / HTTP/1.1\" 200 5 \"-\" \"-\"\n",
        );
        $nginx = $this->machine->nginx([
            10 => Configs::from("http {\naccess_log {$log};\naccess_log {$log}.gone;\nserver {\n}\n}"),
        ])->first();
        [$there, $gone] = $nginx->facts->accessLogs();

        self::assertSame($nginx->traffic($there), $nginx->traffic($there));
        $said = [];

        for ($time = 0; $time < 2; $time++) {
            try {
                $nginx->traffic($gone);
            } catch (FactUnavailable $e) {
                $said[] = $e;
            }
        }

        self::assertCount(2, $said);
        self::assertSame($said[0], $said[1]);
    }

    #[Test]
    public function one_nginx_alone_needs_no_name(): void
    {
        self::assertSame('', $this->ofNginx('N3', 'worker_processes 1;')->subject);
        Examined::shows(
            ['10'],
            self::examined('N3', $this->machine->nginx([10 => null]))->results[0]->finding->message,
        );
    }

    private function ofNginx(string $id, string $config, ?string $version = '1.22.1'): Finding
    {
        return self::examined(
            $id,
            $this->machine->nginx([10 => Configs::from($config)], $version),
        )->results[0]->finding;
    }

    private static function examined(string $id, NginxServers $all): Report
    {
        return (new CheckRunner(Checks::only($id)))->run(new Facts([
            NginxServers::class => static fn (): NginxServers => $all,
        ]));
    }
}
