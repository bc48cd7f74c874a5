<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Nginx\Config;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Nginx\Config\DiskFiles;
use Headroom\Doctor\Nginx\Config\Parser;
use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Unit\Doctor\Nginx\Configs;
use PHPUnit\Framework\Attributes\DataProvider;
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
    public function a_pattern_may_match_nothing(): void
    {
        self::assertSame(['pid p'], Configs::tree(Configs::from("include none/*.conf;\npid p;")->main));
    }

    /** @param array<string, string> $more */
    #[Test]
    #[DataProvider('unreadable')]
    public function a_configuration_with_an_unread_include_is_unknown(string $text, array $more, string $where): void
    {
        $this->expectException(FactUnavailable::class);
        $this->expectExceptionMessageMatches("~{$where}\\b~");

        Configs::from($text, $more);
    }

    /** @return iterable<string, array{string, array<string, string>, string}> */
    public static function unreadable(): iterable
    {
        yield 'a missing file' => ["pid p;\ninclude gone.conf;", [], '/etc/nginx/gone\.conf.*/etc/nginx/nginx\.conf:2'];
        yield 'a missing file of an included one' => [
            'include a;', ['/etc/nginx/a' => "env e;\ninclude b;"], '/etc/nginx/b.*/etc/nginx/a:2',
        ];
        yield 'a file that includes itself' => ['include a;', ['/etc/nginx/a' => 'include a;'], '/etc/nginx/a:1'];
        yield 'files that include each other' => [
            'include a;', ['/etc/nginx/a' => 'include b;', '/etc/nginx/b' => 'include a;'], '/etc/nginx/[ab]:1',
        ];
        yield 'braces that match across files' => [
            'http { include a; gzip on; }', ['/etc/nginx/a' => "} server {\nlisten 80;"], '/etc/nginx/a:1',
        ];
        yield 'a block that its file leaves open' => [
            'http { include a; } }', ['/etc/nginx/a' => "\nserver {"], '/etc/nginx/a:2',
        ];
        $files = ['/etc/nginx/f40' => 'env a;'];

        for ($i = 0; $i < 40; $i++) {
            $files["/etc/nginx/f{$i}"] = 'include f'.($i + 1).";\ninclude f".($i + 1).';';
        }

        yield 'files that double at each step' => ['include f0;', $files, '/etc/nginx/f\d+:\d'];
    }

    #[Test]
    public function the_same_file_twice_is_no_cycle(): void
    {
        $config = Configs::from(
            'http { server { include a; } server { include a; } }',
            ['/etc/nginx/a' => 'root x;'],
        );

        self::assertSame(['http', '.server', '..root x', '.server', '..root x'], Configs::tree($config->main));
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

        $root = $this->directory->write('nginx.config', 'include [aB.]*; include c*; include none/*;');
        $config = Parser::files(new DiskFiles, $root);

        self::assertSame(['c on', 'e on', 'a on', 'b on'], Configs::tree($config->main));
    }

    #[Test]
    #[DataProvider('noFiles')]
    public function only_a_regular_file_of_a_sane_size_is_read(string $name): void
    {
        mkdir($this->directory->file('directory'));
        posix_mkfifo($this->directory->file('pipe'), 0o600);
        symlink('/dev/zero', $this->directory->file('zero'));
        $this->directory->write('huge', '');
        self::assertTrue(ftruncate(self::opened($this->directory->file('huge')), (64 << 20) + 1));

        self::assertNull((new DiskFiles)->text($this->directory->file($name)));
    }

    /** @return iterable<string, array{string}> */
    public static function noFiles(): iterable
    {
        foreach (['gone', 'directory', 'pipe', 'zero', 'huge', "huge\0"] as $name) {
            yield addcslashes($name, "\0") => [$name];
        }
    }

    /** @return resource */
    private static function opened(string $path)
    {
        $file = fopen($path, 'r+');

        return $file === false ? self::fail("{$path} cannot be opened.") : $file;
    }

    #[Test]
    public function the_outermost_file_must_be_readable(): void
    {
        $this->expectException(FactUnavailable::class);

        Parser::files(new DiskFiles, $this->directory->file('gone'));
    }

    #[Test]
    public function files_and_directories_without_permission_are_unknown_and_never_empty(): void
    {
        $this->directory->write('closed.conf', 'user root;');
        chmod($this->directory->file('closed.conf'), 0o000);

        foreach (['unlisted' => 0o311, 'unentered' => 0o644, 'locked' => 0o000] as $name => $mode) {
            mkdir($this->directory->file($name));
            $this->directory->write("{$name}/a.conf", 'a on;');
            mkdir($this->directory->file("{$name}/deeper"));
            chmod($this->directory->file($name), $mode);
        }

        chmod($this->directory->path, 0o755);
        $files = [
            'none.conf', 'none/*.conf', 'closed.conf', 'unlisted/*.conf', 'unentered/*.conf', 'locked/*.conf',
            'locked/deeper/*.conf', 'locked/a.conf',
        ];

        self::assertSame(
            [null, [], null, null, null, null, null, null],
            $this->asNobody(array_map($this->directory->file(...), $files)),
        );
    }

    /**
     * @param list<string> $paths
     * @return list<mixed> the text of each, or the files that match it
     */
    private function asNobody(array $paths): array
    {
        $code = <<<'PHP'
            require $argv[1];
            // The class is loaded before root drops its rights: the user nobody may not read the file.
            $files = new Headroom\Doctor\Nginx\Config\DiskFiles;
            posix_getuid() !== 0 || (posix_setgid(65534) && posix_setuid(65534)) || exit(1);
            $read = fn ($path) => str_contains($path, '*') ? $files->matching($path) : $files->text($path);
            echo json_encode(array_map($read, array_slice($argv, 2)));
            PHP;
        $process = new Process([PHP_BINARY, '-r', $code, dirname(__DIR__, 5).'/vendor/autoload.php', ...$paths]);
        $process->mustRun();

        /** @var list<mixed> */
        return json_decode($process->getOutput(), true, 16, JSON_THROW_ON_ERROR);
    }
}
