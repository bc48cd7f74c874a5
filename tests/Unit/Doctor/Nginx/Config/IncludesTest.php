<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Nginx\Config;

use Headroom\Doctor\Nginx\Config\DiskFiles;
use Headroom\Doctor\Nginx\Config\ParseIssue;
use Headroom\Doctor\Nginx\Config\Parser;
use Headroom\Doctor\Nginx\Config\UnableToRead;
use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Unit\Doctor\Nginx\Configs;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

final class IncludesTest extends TestCase
{
    private TemporaryDirectory $directory;

    protected function setUp(): void
    {
        $this->directory = TemporaryDirectory::create('nginx-includes');
    }

    protected function tearDown(): void
    {
        $this->directory->remove();
    }

    #[Test]
    public function included_directives_stand_at_the_include_and_keep_their_own_place(): void
    {
        $config = Configs::from(
            "http {\ninclude conf.d/*.conf;\ngzip on;\n}",
            [
                '/etc/nginx/conf.d/b.conf' => "\nserver { include snippets/x; }",
                '/etc/nginx/conf.d/B.conf' => 'etag on;',
                '/etc/nginx/conf.d/10.conf' => 'sendfile on;',
                '/etc/nginx/conf.d/9.conf' => 'aio on;',
                '/etc/nginx/conf.d/deeper/a.conf' => 'never on;',
                '/etc/nginx/snippets/x' => "\n\nroot /srv;",
            ],
        );
        $root = Configs::only($config, 'http', 'server')->block?->first('root');

        self::assertSame([], $config->misreads);
        self::assertSame(
            ['http', '.sendfile on', '.aio on', '.etag on', '.server', '..root /srv', '.gzip on'],
            Configs::tree($config->main),
        );
        self::assertSame('/etc/nginx/snippets/x:3', $root?->where());
        self::assertSame('http', $root->path()[0]->name);
        self::assertSame('/etc/nginx/snippets/x', $config->files[5]);
    }

    #[Test]
    public function names_are_relative_to_the_outermost_file_wherever_they_stand(): void
    {
        $config = Configs::from(
            'include a/b;',
            ['/etc/nginx/a/b' => 'include c;', '/etc/nginx/c' => 'pid 1;', '/etc/nginx/a/c' => 'pid 2;'],
        );

        self::assertSame(['pid 1'], Configs::tree($config->main));
    }

    #[Test]
    public function a_missing_file_is_named_and_a_pattern_may_match_nothing(): void
    {
        $config = Configs::from("include gone.conf;\ninclude none/*.conf;\npid p;");

        $gone = ParseIssue::notRead(Configs::FILE, 1, '/etc/nginx/gone.conf', UnableToRead::missing()->getMessage());
        self::assertEquals([$gone], $config->misreads);
        self::assertSame(['pid p'], Configs::tree($config->main));
    }

    #[Test]
    public function a_cycle_is_named_where_it_closes(): void
    {
        $config = Configs::from(
            'include a; pid p;',
            ['/etc/nginx/a' => "user u;\ninclude b;", '/etc/nginx/b' => 'include a; env e;'],
        );

        $reason = UnableToRead::cycle('/etc/nginx/b:1')->getMessage();
        self::assertEquals([ParseIssue::notRead('/etc/nginx/b', 1, '/etc/nginx/a', $reason)], $config->misreads);
        self::assertSame(['user u', 'env e', 'pid p'], Configs::tree($config->main));
    }

    #[Test]
    public function the_same_file_twice_is_no_cycle_and_wrong_once(): void
    {
        $config = Configs::from(
            'http { server { include a; } server { include a; } }',
            ['/etc/nginx/a' => "root x;\n;"],
        );

        self::assertSame(['http', '.server', '..root x', '.server', '..root x'], Configs::tree($config->main));
        self::assertEquals([ParseIssue::unexpected('/etc/nginx/a', 2, ';')], $config->misreads);
    }

    #[Test]
    public function braces_match_within_a_file(): void
    {
        $config = Configs::from('http { include a; gzip on; }', ['/etc/nginx/a' => "} server {\nlisten 80;"]);

        self::assertSame(['http', '.server', '..listen 80', '.gzip on'], Configs::tree($config->main));
        Configs::assertMisread(
            [ParseIssue::strayBrace('/etc/nginx/a', 1), ['/etc/nginx/a:1', 'server', '"server"']],
            $config->misreads,
        );
    }

    #[Test]
    public function files_that_double_at_each_step_come_to_an_end(): void
    {
        $files = ['/etc/nginx/f40' => 'env a;'];

        for ($i = 0; $i < 40; $i++) {
            $files["/etc/nginx/f{$i}"] = 'include f'.($i + 1).";\ninclude f".($i + 1).';';
        }

        $config = Configs::from('include f0; pid p;', $files);

        self::assertStringContainsString(
            UnableToRead::tooMuch(50_000, 67_108_864)->getMessage(),
            $config->misreads[0]->message,
        );
        self::assertSame(['pid p'], array_slice(Configs::tree($config->main), -1));
    }

    #[Test]
    public function directives_of_the_command_line_stand_before_the_file(): void
    {
        $config = Parser::files(new FilesInMemory(['/n' => 'pid p;']), '/n', 'daemon off; worker_processes 3;');

        self::assertSame(['daemon off', 'worker_processes 3', 'pid p'], Configs::tree($config->main));
        self::assertSame('nginx -g:1', $config->main->first('worker_processes')?->where());
    }

    #[Test]
    public function files_of_the_disk_are_read_sorted_by_bytes(): void
    {
        foreach (['a10' => 'a', 'a9' => 'b', 'B' => 'c', '.hidden' => 'd', 'a b' => 'e'] as $name => $directive) {
            $this->directory->write($name, "{$directive} on;");
        }

        mkdir($this->directory->file('c'));
        $root = $this->directory->write('nginx.config', 'include [aB.]*; include c*;');
        $config = Parser::files(new DiskFiles, $root);

        self::assertSame(['c on', 'e on', 'a on', 'b on'], Configs::tree($config->main));
        $reason = UnableToRead::notAFile()->getMessage();
        self::assertEquals(ParseIssue::notRead($root, 1, $this->directory->file('c'), $reason), $config->misreads[0]);
    }

    #[Test]
    public function a_small_file_takes_little_memory(): void
    {
        $path = $this->directory->write('small.conf', "gzip on;\n");
        memory_reset_peak_usage();
        $before = memory_get_usage();

        self::assertSame("gzip on;\n", (new DiskFiles)->text($path));
        self::assertLessThan(1_048_576, memory_get_peak_usage() - $before);
    }

    #[Test]
    public function the_outermost_file_must_be_readable(): void
    {
        $this->expectExceptionObject(UnableToRead::missing());

        Parser::files(new DiskFiles, $this->directory->file('gone'));
    }

    #[Test]
    public function files_without_permission_are_named_with_the_command_that_shows_them(): void
    {
        $this->directory->write('closed.conf', 'user root;');
        chmod($this->directory->file('closed.conf'), 0o000);

        foreach (['unlisted' => 0o311, 'locked' => 0o000] as $name => $mode) {
            mkdir($this->directory->file($name));
            $this->directory->write("{$name}/a.conf", 'a on;');
            chmod($this->directory->file($name), $mode);
        }

        $root = $this->directory->write(
            'nginx.conf',
            "include closed.conf;\ninclude unlisted/*.conf;\ninclude locked/*.conf;\ninclude locked/a.conf;\npid p;",
        );
        chmod($root, 0o644);
        chmod($this->directory->path, 0o755);
        [$misreads, $tree] = $this->asNobody($root);
        $path = $this->directory->path;

        $misread = static fn (int $line, string $file, UnableToRead $why): string
            => ParseIssue::notRead($root, $line, "{$path}/{$file}", $why->getMessage())->text();

        self::assertSame([
            $misread(1, 'closed.conf', UnableToRead::denied("{$path}/closed.conf")),
            $misread(2, 'unlisted/*.conf', UnableToRead::deniedDirectory("{$path}/unlisted")),
            $misread(3, 'locked/*.conf', UnableToRead::deniedDirectory("{$path}/locked")),
            $misread(4, 'locked/a.conf', UnableToRead::denied("{$path}/locked/a.conf")),
        ], $misreads);
        self::assertStringContainsString("sudo cat '{$path}/closed.conf'", $misreads[0]);
        self::assertStringContainsString("sudo ls '{$path}/unlisted'", $misreads[1]);
        self::assertSame(['pid p'], $tree);
    }

    /** @return array{list<string>, list<string>} misreads and directives */
    private function asNobody(string $root): array
    {
        $code = <<<'PHP'
            require $argv[1];
            // Root may read everything. Classes loaded before it drops its rights need not be readable to the user nobody.
            $again = Headroom\Doctor\Nginx\Config\Parser::files(new Headroom\Doctor\Nginx\Config\DiskFiles, $argv[2]);
            foreach (["\u{FEFF};}", "http { include /gone; }"] as $text) { file_put_contents($argv[2].'.x', $text); Headroom\Doctor\Nginx\Config\Parser::files(new Headroom\Doctor\Nginx\Config\DiskFiles, $argv[2].'.x'); }
            posix_getuid() !== 0 || (posix_setgid(65534) && posix_setuid(65534)) || exit(1);
            $config = Headroom\Doctor\Nginx\Config\Parser::files(new Headroom\Doctor\Nginx\Config\DiskFiles, $argv[2]);
            echo json_encode([array_map(fn ($misread) => $misread->text(), $config->misreads), array_map(fn ($directive) => $directive->text(), $config->main->directives())]);
            PHP;
        $process = new Process([PHP_BINARY, '-r', $code, dirname(__DIR__, 5).'/vendor/autoload.php', $root]);
        $process->mustRun();

        /** @var array{list<string>, list<string>} */
        return json_decode($process->getOutput(), true, 16, JSON_THROW_ON_ERROR);
    }
}
