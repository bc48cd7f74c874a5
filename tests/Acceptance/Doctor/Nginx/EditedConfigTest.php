<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor\Nginx;

use Headroom\Doctor\CheckResult;
use Headroom\Doctor\Edit;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fpm\FpmPools;
use Headroom\Doctor\ManualChange;
use Headroom\Doctor\Nginx\Config\DiskFiles;
use Headroom\Doctor\Nginx\Config\NginxDump;
use Headroom\Doctor\Nginx\Config\Parser;
use Headroom\Doctor\Nginx\Edits\NginxChange;
use Headroom\Doctor\Nginx\Edits\NginxEdits;
use Headroom\Doctor\Nginx\NginxServers;
use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Acceptance\Host\Needs;
use Headroom\Tests\Unit\Doctor\Support\Examined;
use Headroom\Tests\Unit\Doctor\Support\WebServers;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * A fix changes the configuration, however that is laid out: nginx takes it afterwards, and the fault is gone.
 */
#[Group('day-2')]
final class EditedConfigTest extends TestCase
{
    private const KEPT = ["worker_processes 2;\n", '', 'keepalive 64;', '', "fastcgi_keep_conn on;\nfastcgi_pass php;"];

    /** Of the worker that runs. */
    private const SPILL =
        '2026/11/22 10:00:00 [warn] 11#11: *7 an upstream response is buffered to a temporary file /f while '
            .'reading upstream, client: 127.0.0.1, server: _, request: "GET /a HTTP/1.1", upstream:'
            ." \"fastcgi://unix:/a:\"\n";

    private const LATER = '/worker_rlimit_nofile\s+(?:1024|8192);|fastcgi_buffers\s+(?:256\s+4k|128\s+8k);/';

    private TemporaryDirectory $directory;

    private RealNginx $nginx;

    private WebServers $machine;

    protected function setUp(): void
    {
        Needs::program('nginx', 'nginx');
        $this->directory = TemporaryDirectory::create('nginx-edited');
        $this->nginx = new RealNginx($this->directory);
        $this->machine = new WebServers;

        // A worker that may open few files.
        mkdir($this->machine->path('proc/11'), recursive: true);
        $this->machine->path(
            'proc/11/limits',
            "Max open files            64                   64                   files\n",
        );

        // Two releases, and a link to one of them.
        foreach (['one', 'two'] as $release) {
            mkdir($this->directory->file("releases/{$release}/public"), recursive: true);
        }

        symlink($this->directory->file('releases/one'), $this->directory->file('current'));
    }

    protected function tearDown(): void
    {
        $this->directory->remove();
    }

    /**
     * @return iterable<string, array{0: string, 1: list<string>, 2?: string}> rule, lines outside, of http, upstream,
     *     server and location, version
     */
    public static function faults(): iterable
    {
        $php = 'fastcgi_pass php;';
        $root = 'root {directory}/current/public;';
        $script = static fn (string $name): string => "fastcgi_param SCRIPT_FILENAME {$name};\nfastcgi_pass php;";

        yield 'few connections' => [
            'N1',
            ["worker_processes 2;\nevents {\nworker_connections 16;\n}", '', '', '', $php],
        ];
        yield 'few connections by default' => ['N1', ["worker_processes 1;\nevents {\n}", '', '', '', $php]];
        yield 'few files' => ['N2', ['worker_processes 2;', '', '', '', $php]];
        yield 'few files, said' => ['N2', ['worker_rlimit_nofile 64;', '', '', '', $php]];
        yield 'few files, nothing said' => ['N2', ['', '', '', '', $php]];
        yield 'one worker' => ['N3', ['worker_processes 1;', '', '', '', $php]];
        yield 'one worker by default' => ['N3', ['', '', '', '', $php]];
        yield 'half a keepalive' => ['N4', ['', '', '', '', "fastcgi_keep_conn on;\n{$php}"]];
        yield 'half a keepalive in http' => ['N4', ['', 'fastcgi_keep_conn on;', '', '', $php]];
        yield 'the other half' => ['N4', ['', '', 'keepalive 16;', '', $php]];
        yield 'a pool that starves' => ['N5', self::KEPT];
        yield 'a pool that starves by a map' => [
            'N5',
            [
                'worker_processes 2;',
                "map \$host \$backend {\ndefault php;\n}",
                'keepalive 64;',
                '',
                "fastcgi_keep_conn on;\nfastcgi_pass \$backend;",
            ],
        ];
        yield 'processes that end' => ['N6', self::KEPT];
        yield 'kept since an upgrade' => ['N7', ['', '', '', '', "fastcgi_keep_conn on;\n{$php}"], '1.29.7'];
    }

    /**
     * @return iterable<string, array{0: string, 1: list<string>, 2?: string}> rule, lines outside, of http, upstream,
     *     server and location, version
     */
    public static function faultsOfTime(): iterable
    {
        $php = 'fastcgi_pass php;';
        $root = 'root {directory}/current/public;';
        $script = static fn (string $name): string => "fastcgi_param SCRIPT_FILENAME {$name};\nfastcgi_pass php;";

        yield 'clients that are not kept' => ['N8', ['', 'keepalive_timeout 0;', '', '', $php]];
        yield 'clients that are sent away' => ['N8', ['', '', '', 'keepalive_requests 10;', $php]];
        yield 'a long wait' => ['N10', ['', '', 'server 127.0.0.1:9;', '', $php]];
        yield 'a long wait that is said' => [
            'N10',
            ['', 'fastcgi_connect_timeout 1m;', '', '', 'fastcgi_pass 127.0.0.1:9;'],
        ];
        yield 'a long wait on a condition' => [
            'N10',
            ['', '', 'server 127.0.0.1:9;', '', "if (\$http_x) {\n{$php}\n}"],
        ];
        yield 'nothing is compressed' => ['N12', ['', '', '', '', $php]];
        yield 'compression is off' => ['N12', ['', '', '', 'gzip off;', $php]];
        yield 'pages alone are compressed' => ['N12', ['', 'gzip on;', '', '', $php]];
        yield 'pages alone are named' => ['N12', ['', 'gzip on;', '', 'gzip_types text/html;', $php]];
    }

    /**
     * @return iterable<string, array{0: string, 1: list<string>, 2?: string}> rule, lines outside, of http, upstream,
     *     server and location, version
     */
    public static function faultsOfLogs(): iterable
    {
        $php = 'fastcgi_pass php;';
        $root = 'root {directory}/current/public;';
        $script = static fn (string $name): string => "fastcgi_param SCRIPT_FILENAME {$name};\nfastcgi_pass php;";

        $spills = 'error_log {directory}/spills.log warn;';

        yield 'answers through files' => ['N11', ['', '', '', $spills, $php]];
        yield 'answers through files, on a condition' => ['N11', ['', '', '', $spills, "if (\$http_x) {\n{$php}\n}"]];
        yield 'answers through files, with buffers' => ['N11', ['', 'fastcgi_buffers 4 8k;', '', $spills, $php]];
        yield 'a log line by line' => ['N13', ['', 'access_log {directory}/a.log;', '', '', $php]];
        yield 'a log with a blank in its path' => [
            'N13',
            ['', 'access_log "{directory}/a \' ;log" combined if=$http_x;', '', '', $php],
        ];
        yield 'files that are opened' => [
            'N14',
            ['', 'access_log {directory}/many.log combined buffer=1k;', '', 'try_files $uri /index.php;', $php],
        ];
        yield 'files that are opened, said' => [
            'N14',
            [
                '',
                "access_log {directory}/many.log combined buffer=1k;\nopen_file_cache off;",
                '',
                'try_files $uri /index.php;',
                $php,
            ],
        ];
        yield 'a POST twice' => ['N16', ['', '', '', 'fastcgi_next_upstream error non_idempotent timeout;', $php]];
        yield 'a POST twice, and nothing else' => [
            'N16',
            ['', '', '', '', "fastcgi_next_upstream non_idempotent;\n{$php}"],
        ];
        yield 'no timings' => ['N17', ['', 'access_log {directory}/a.log combined buffer=1k;', '', '', $php]];
        yield 'no timings in a server' => [
            'N17',
            ['', 'log_format timed $uri;', '', 'access_log "{directory}/a b.log" timed buffer=1k;', $php],
        ];
        yield 'a release behind a link' => ['N18', ['', '', '', $root, $script('$document_root$fastcgi_script_name')]];
        yield 'a release behind a link, in quotes' => [
            'N18',
            ['', '', '', $root, $script('"${document_root}/a b$fastcgi_script_name"')],
        ];
    }

    /** @param list<string> $lines */
    #[Test]
    #[DataProvider('faults')]
    #[DataProvider('faultsOfTime')]
    #[DataProvider('faultsOfLogs')]
    public function a_fix_takes_the_fault_away_in_each_layout(
        string $rule,
        array $lines,
        ?string $version = '1.22.1',
    ): void {
        file_put_contents(
            $this->directory->file('many.log'),
            str_repeat("127.0.0.1 - - [22/Nov/2026:10:00:00 +0000] \"GET /a.css HTTP/1.1\" 200 5 \"-\" \"-\"\n", 300),
        );

        $this->directory->write('spills.log', str_repeat(self::SPILL, 10));

        foreach (Layouts::of($this->text($lines)) as $layout => $text) {
            $this->directory->write('nginx.conf', $text);
            $faults = $this->faultsOf($rule, $version);
            self::assertCount(1, $faults, "{$layout}:\n{$text}");
            $edits = $faults[0]->fix->edits ?? [];
            self::assertNotSame([], $edits, "{$layout}: {$faults[0]->fix?->text}\n{$text}");

            $edited = $this->edited($text, $edits);
            $printed = $this->nginx->test($edited);

            self::assertSame(0, $printed->exitCode, "{$layout}: {$printed->errors}\n{$text}\n\n{$edited}");
            // More open files and more buffers are seen when nginx runs with them.
            $isSeenLater = in_array($rule, ['N2', 'N11'], true);
            $left = $isSeenLater ? [] : $this->faultsOf($rule, $version);
            self::assertSame([], $left, "{$layout}:\n{$text}\n\n{$edited}");
            self::assertMatchesRegularExpression($isSeenLater ? self::LATER : '//', $edited, $layout);
            self::assertSame(
                substr_count($edited, "\n"),
                str_contains($text, "\r") ? substr_count($edited, "\r\n") : substr_count($edited, "\n"),
                $layout,
            );
        }
    }

    #[Test]
    public function what_another_place_keeps_stays_in_each_layout(): void
    {
        $text = $this->text([
            'worker_processes 2;',
            "fastcgi_keep_conn on;\nupstream far {\nserver 10.1.2.3:9000;\nkeepalive 4;\n}",
            'keepalive 64;',
            "location /far {\nfastcgi_pass far;\n}\n"
                ."location /both {\nif (\$http_x) {\nfastcgi_pass php;\n}\nfastcgi_pass php;\n}",
            'fastcgi_pass php;',
        ]);

        foreach (Layouts::of($text) as $layout => $laid) {
            $this->directory->write('nginx.conf', $laid);
            $edits = $this->faultsOf('N5', '1.22.1')[0]->fix->edits ?? [];
            $edited = $this->edited($laid, $edits);

            self::assertSame(0, $this->nginx->test($edited)->exitCode, "{$layout}:\n{$edited}");
            $left = [...$this->faultsOf('N4', '1.22.1'), ...$this->faultsOf('N5', '1.22.1')];
            self::assertSame([], $left, "{$layout}:\n{$edited}");
            self::assertMatchesRegularExpression('/keepalive\s+4\s*;/', $edited, $layout);
        }
    }

    #[Test]
    public function a_line_that_cannot_be_shown_is_named_and_others_are_edited(): void
    {
        foreach (["# \xe9t\xe9", "# \x1b[2J"] as $comment) {
            $text = str_replace('keepalive 64;', "keepalive 64; {$comment}", $this->text(self::KEPT));
            $this->directory->write('nginx.conf', $text);
            $fix = $this->faultsOf('N5', '1.22.1')[0]->fix ?? null;

            self::assertSame(
                ['fastcgi_keep_conn off;'],
                array_map(static fn (Edit $edit): string => trim((string) $edit->new), $fix->edits ?? []),
            );
            self::assertMatchesRegularExpression('~`keepalive 64;` out of \S+/nginx\.conf:\d+~', $fix->text ?? '');
        }
    }

    #[Test]
    public function a_limit_of_files_that_does_not_hold_is_raised_outside_of_nginx(): void
    {
        $text = $this->text(['', '', '', '', 'fastcgi_pass php;']);
        $this->directory->write('nginx.conf', $text);
        $first = $this->faultsOf('N2', '1.22.1')[0]->fix->edits ?? [];
        self::assertNotSame([], $first);
        $this->directory->write('nginx.conf', $this->edited($text, $first));
        // The worker of this machine still has its 64.
        $fix = $this->faultsOf('N2', '1.22.1')[0]->fix ?? null;

        self::assertSame([], $fix?->edits);
        self::assertMatchesRegularExpression('/nginx\.conf:\d+\b.*\bLimitNOFILE=\d+\b/', $fix->text ?? '');
    }

    #[Test]
    public function what_the_command_line_says_needs_another_start(): void
    {
        $file = $this->directory->write('nginx.conf', $this->text(['', '', '', '', 'fastcgi_pass php;']));
        $config = Parser::files(new DiskFiles, $file, 'worker_processes 1;');
        $directive = $config->main->first('worker_processes');
        self::assertNotNull($directive);

        foreach ([NginxChange::to($directive, 'worker_processes auto'), NginxChange::without($directive)] as $change) {
            self::assertSame([ManualChange::class], array_map(get_class(...), NginxEdits::edits([$change])));
            self::assertStringContainsString('again', $change->byHand);
        }
    }

    #[Test]
    public function a_file_that_two_links_name_is_edited_once(): void
    {
        $this->directory->write('php.inc', "fastcgi_keep_conn on; fastcgi_pass php;\n");
        array_map(fn (string $link): bool => symlink('php.inc', $this->directory->file($link)), ['one.inc', 'two.inc']);
        $this->directory->write(
            'nginx.conf',
            $this->text([
                'worker_processes 2;',
                '',
                'keepalive 64;',
                'location /two { include two.inc; }',
                'include one.inc;',
            ]),
        );
        $edits = $this->faultsOf('N5', '1.22.1')[0]->fix->edits ?? [];

        self::assertSame(['nginx.conf', 'two.inc'], array_map(
            static fn (Edit $edit): string => basename($edit->file),
            $edits,
        ));
    }

    /** @param list<string> $lines outside, of http, upstream, server and location */
    private function text(array $lines): string
    {
        $temporary = implode(
            "\n",
            array_map(
                static fn (string $kind): string => "{$kind}_temp_path {$kind};",
                ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'],
            ),
        );
        $events = str_contains($lines[0], 'events') ? '' : "events {\nworker_connections 512;\n}";
        $server = str_contains($lines[2], 'server ') ? '' : 'server unix:/run/php.sock;';

        return strtr(
            "{$lines[0]}\npid pid;\nerror_log error.log;\n{$events}\nhttp {\n{$temporary}\n{$lines[1]}\nupstream php"
                ." {\n{$server}\n{$lines[2]}\n}\nserver {\nlisten 127.0.0.1:18089;\n{$lines[3]}\nlocation /"
                ." {\n{$lines[4]}\n}\n}\n}",
            ['{directory}' => $this->directory->path],
        );
    }

    /** @param list<Edit> $edits of the one file */
    private function edited(string $text, array $edits): string
    {
        foreach (array_reverse($edits) as $edit) {
            $text = $edit->appliedTo($text);
        }

        return $text;
    }

    /** @return list<Finding> */
    private function faultsOf(string $rule, ?string $version): array
    {
        $printed = $this->nginx->dump((string) file_get_contents($this->directory->file('nginx.conf')));
        $dump = NginxDump::fromText($printed->output);
        self::assertNotNull($dump, $printed->errors);
        $config = Parser::dump($dump);
        $nginx = $this->machine->nginx([10 => $config], $version);
        $pools = $this->machine->fpm(['www' => ['listen' => '/run/php.sock', 'pm.max_requests' => '500']]);

        return array_map(static fn (CheckResult $verdict): Finding => $verdict->finding, Examined::by($rule, [
            NginxServers::class => static fn (): NginxServers => $nginx,
            FpmPools::class => static fn (): FpmPools => $pools,
        ])->problems());
    }
}
