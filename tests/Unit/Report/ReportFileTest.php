<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Report;

use Headroom\Process\TemporaryDirectory;
use Headroom\Report\ReportFile;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

final class ReportFileTest extends TestCase
{
    private TemporaryDirectory $directory;

    protected function setUp(): void
    {
        $this->directory = TemporaryDirectory::create('report');
    }

    protected function tearDown(): void
    {
        $this->directory->remove();
    }

    #[Test]
    public function an_old_page_is_replaced_and_keeps_its_mode(): void
    {
        $file = $this->directory->write('page.html', 'the old page');
        chmod($file, 0o640);

        self::assertNull(ReportFile::write($file, 'the new one'));
        self::assertSame(['the new one', 0o640], [file_get_contents($file), fileperms($file) & 0o777]);
        self::assertSame(['page.html'], $this->files());
    }

    #[Test]
    public function a_link_goes_on_leading_to_the_file(): void
    {
        mkdir($this->directory->file('real'));
        $this->directory->write('real/page.html', 'the old page');
        symlink('real/page.html', $this->directory->file('link.html'));

        self::assertNull(ReportFile::write($this->directory->file('link.html'), 'the new one'));
        self::assertTrue(is_link($this->directory->file('link.html')));
        self::assertSame('the new one', file_get_contents($this->directory->file('real/page.html')));
    }

    #[Test]
    public function a_full_disk_keeps_the_old_page_and_no_half_of_a_new_one(): void
    {
        $file = $this->directory->write('page.html', 'the old page');
        // The kernel refuses what comes behind the first 8 kB of a file.
        [$out] = $this->php(
            "trap '' XFSZ; ulimit -f 16; exec \"$@\"",
            'echo Headroom\Report\ReportFile::write($argv[1], str_repeat("x", 100_000));',
            $file,
        );

        self::assertStringContainsString('bytes failed with errno=27', $out);
        self::assertSame('the old page', file_get_contents($file));
        self::assertSame(['page.html'], $this->files());
    }

    #[Test]
    public function a_device_is_written_to_and_not_replaced(): void
    {
        symlink('/dev/full', $this->directory->file('full.html'));

        self::assertNotNull(ReportFile::write($this->directory->file('full.html'), 'x'));
        self::assertNull(ReportFile::write('/dev/null', 'x'));
        self::assertSame(['char', '/dev/full'], [filetype('/dev/null'), readlink($this->directory->file('full.html'))]);
    }

    #[Test]
    public function standard_output_that_is_a_file_keeps_earlier_output(): void
    {
        $this->php(
            'exec "$@" >"$0"',
            'echo "figures\n"; Headroom\Report\ReportFile::write("/dev/stdout", "page\n");',
            $this->directory->file('out'),
        );

        self::assertSame("figures\npage\n", file_get_contents($this->directory->file('out')));
        self::assertSame('link', filetype('/dev/stdout'));
    }

    #[Test]
    public function a_folder_that_is_not_there_is_the_reason(): void
    {
        self::assertSame('No such file or directory', ReportFile::write($this->directory->file('none/page.html'), 'x'));
    }

    /** @return array{string, string} output and errors */
    private function php(string $shell, string $code, string $file): array
    {
        $process = new Process([
            '/bin/sh',
            '-c',
            $shell,
            $file,
            PHP_BINARY,
            '-r',
            'require '.var_export(dirname(__DIR__, 3).'/vendor/autoload.php', true)."; {$code}",
            $file,
        ]);
        $process->run();

        return [$process->getOutput(), $process->getErrorOutput()];
    }

    /** @return list<string> */
    private function files(): array
    {
        $files = scandir($this->directory->path);

        return array_values(array_diff($files === false ? [] : $files, ['.', '..']));
    }
}
