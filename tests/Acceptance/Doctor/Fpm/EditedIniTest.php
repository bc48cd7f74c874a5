<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor\Fpm;

use Headroom\Doctor\CheckResult;
use Headroom\Doctor\Edit;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fpm\FpmPools;
use Headroom\Tests\Support\DirectoryTestCase;
use Headroom\Tests\Unit\Doctor\Support\Examined;
use Headroom\Tests\Unit\Doctor\Support\WebServers;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use Symfony\Component\Process\Process;

/**
 * A fix of what only php.ini says names the file and changes it: PHP itself reads the new value, however the files
 * are laid out.
 */
#[Group('day-2')]
final class EditedIniTest extends DirectoryTestCase
{
    private const FULL = [
        'opcache_enabled' => true,
        'cache_full' => false,
        'memory_usage' => ['used_memory' => 127 << 20, 'free_memory' => 1 << 20, 'wasted_memory' => 0],
        'opcache_statistics' => ['num_cached_keys' => 9999, 'max_cached_keys' => 10_000],
        'interned_strings_usage' => ['buffer_size' => 48 << 20, 'used_memory' => 48 << 20, 'free_memory' => 0],
        'jit' => ['on' => true, 'buffer_size' => 64 << 20, 'buffer_free' => 0],
    ];

    private const WANTED = [
        'O2' => ['opcache.memory_consumption', '256'],
        'O3' => ['opcache.max_accelerated_files', '20000'],
        'O4' => ['opcache.interned_strings_buffer', '128'],
        'O8' => ['opcache.jit_buffer_size', '128M'],
    ];

    private WebServers $machine;

    protected function setUp(): void
    {
        parent::setUp();
        mkdir($this->directory->file('conf.d'));
        $this->machine = new WebServers;
    }

    /** @return iterable<string, array{array<string, string>}> files; {name} stands for the setting */
    public static function layouts(): iterable
    {
        $there = ['conf.d/10-a.ini' => "; nothing\n"];

        yield 'in php.ini' => [['php.ini' => "[opcache]\n{name}=8\n"]];
        yield 'in php.ini and later' => [[
            'php.ini' => "{name} = 8\n",
            'conf.d/10-a.ini' => "{name}=\"9\" ; packaged\n",
        ]];
        yield 'later in two' => [[
            'php.ini' => '',
            'conf.d/10-a.ini' => "{name}=9\n",
            'conf.d/20-b.ini' => "\t{name}\t=\t9 ; was 5; \"7\"\n",
        ]];
        yield 'twice in one' => [['php.ini' => "{name}=8\n{name} = '9'\n"]];
        yield 'CRLF' => [['php.ini' => "[opcache]\r\n{name} = 8\r\nmemory_limit = 128M\r\n"]];
        yield 'in a comment' => [['php.ini' => "[opcache]\n;{name}=8\nmemory_limit = 128M\n"]];
        yield 'nowhere' => [['php.ini' => "memory_limit=128M\n", ...$there]];
        yield 'nowhere, before a section of a host' => [
            ['php.ini' => "memory_limit=128M\n[HOST=a.example]\nmemory_limit=64M\n"],
        ];
        yield 'for one directory' => [['php.ini' => "[PATH=/srv/a]\n{name}=7\n"]];
        yield 'for one directory and all' => [['php.ini' => "{name}=6\n[PATH=/srv/a]\n{name}=7\n", ...$there]];
        yield 'without a php.ini' => [$there];
        yield 'an empty value' => [['php.ini' => "{name} =\n"]];
        yield 'without an end of line' => [['php.ini' => '{name}=8']];
    }

    /** @param array<string, string> $files */
    #[Test]
    #[DataProvider('layouts')]
    public function php_reads_the_value_that_the_fix_has_put_there(array $files): void
    {
        foreach (self::WANTED as $rule => [$name, $value]) {
            $paths = $this->write($files, $name);
            $edits = $this->fault($rule, $paths)->fix->edits ?? [];
            self::assertCount(1, $edits, $rule);

            foreach ($edits as $edit) {
                self::apply($edit);
            }

            self::assertSame($value, $this->told($name), $rule);
        }
    }

    #[Test]
    public function a_preload_that_is_gone_is_taken_out_of_each_file(): void
    {
        $paths = $this->write([
            'php.ini' => "opcache.preload=/srv/none.php\n[HOST=a.example]\nopcache.preload=/srv/of-a-host.php\n",
            'conf.d/10-a.ini' => "opcache.preload = \"/srv/none-either.php\"\r\n",
        ], 'opcache.preload');

        foreach (array_reverse($this->fault('O15', $paths)->fix->edits ?? []) as $edit) {
            self::apply($edit);
        }

        self::assertSame('', $this->told('opcache.preload'));
        self::assertStringContainsString('of-a-host', (string) file_get_contents($paths[0]));
    }

    #[Test]
    public function a_php_that_names_no_files_gets_the_directive_by_name(): void
    {
        foreach (self::WANTED as $rule => [$name, $value]) {
            $fix = $this->fault($rule, null)->fix;

            self::assertSame([], $fix?->edits);
            self::assertStringContainsString("`{$name}={$value}`", $fix->text);
        }
    }

    /**
     * @param array<string, string> $files
     * @return list<string> as PHP names those that it has read
     */
    private function write(array $files, string $name): array
    {
        foreach (['php.ini', 'conf.d/10-a.ini', 'conf.d/20-b.ini', 'conf.d/99-headroom.ini'] as $old) {
            @unlink($this->directory->file($old));
        }

        foreach ($files as $file => $text) {
            $this->directory->write($file, str_replace('{name}', $name, $text));
        }

        $scanned = array_keys(array_diff_key($files, ['php.ini' => '']));

        return [
            isset($files['php.ini']) ? $this->directory->file('php.ini') : '',
            ...array_map($this->directory->file(...), $scanned),
        ];
    }

    /** @param ?list<string> $files */
    private function fault(string $rule, ?array $files): Finding
    {
        $pools = $this->machine->fpm(['www' => []], runtime: [
            'opcache' => self::FULL,
            'configuration' => ['directives' => ['opcache.interned_strings_buffer' => '64']],
        ] + ($files === null ? [] : ['ini_files' => $files]));
        $faults = array_map(
            static fn (CheckResult $verdict): Finding => $verdict->finding,
            Examined::by($rule, [FpmPools::class => static fn (): FpmPools => $pools])->problems(),
        );
        self::assertCount(1, $faults, $rule);

        return $faults[0];
    }

    private static function apply(Edit $edit): void
    {
        $text = is_file($edit->file) ? (string) file_get_contents($edit->file) : '';
        file_put_contents($edit->file, $edit->appliedTo($text));
    }

    /** Returns the value that PHP reads, whether or not the setting belongs to an extension. */
    private function told(string $name): string
    {
        $php = is_file($this->directory->file('php.ini'))
            ? ['-c', $this->directory->file('php.ini')]
            : ['-c', $this->directory->file('none')];
        $process = new Process(
            [PHP_BINARY, ...$php, '-r', 'echo get_cfg_var($argv[1]);', $name],
            env: ['PHP_INI_SCAN_DIR' => $this->directory->file('conf.d')],
        );

        return $process->mustRun()->getOutput();
    }
}
