<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Host\Log;

use Headroom\Host\Log\LogTail;
use Headroom\Host\Log\UnableToReadLog;
use Headroom\Host\TemporaryDirectory;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\PhpProcess;

final class LogTailTest extends TestCase
{
    private TemporaryDirectory $directory;

    protected function setUp(): void
    {
        $this->directory = TemporaryDirectory::create('tail');
    }

    protected function tearDown(): void
    {
        $this->directory->remove();
    }

    #[Test]
    public function whole_lines_of_a_small_file_are_all_of_it(): void
    {
        $tail = LogTail::of($this->directory->write('log', "one\n\ntwo\nhalf"));

        self::assertSame(['one', '', 'two'], $tail->lines);
        self::assertTrue($tail->isWhole);
        self::assertSame([], LogTail::of($this->directory->write('empty', ''))->lines);
    }

    #[Test]
    public function of_a_large_file_the_end_is_read(): void
    {
        $line = str_repeat('x', 1023)."\n";
        $path = $this->directory->write('log', "first\n".str_repeat($line, 4096)."last\n");
        $tail = LogTail::of($path);

        self::assertFalse($tail->isWhole);
        self::assertSame('last', $tail->lines[count($tail->lines) - 1]);
        self::assertCount(intdiv(LogTail::BYTES, 1024), $tail->lines);
        self::assertSame(trim($line), $tail->lines[0]);
    }

    #[Test]
    public function a_line_that_begins_where_the_end_does_is_a_whole_one(): void
    {
        $tail = LogTail::of($this->directory->write('log', "first\n".str_repeat(str_repeat('x', 1023)."\n", intdiv(LogTail::BYTES, 1024))));

        self::assertCount(intdiv(LogTail::BYTES, 1024), $tail->lines);
        self::assertSame(1023, strlen($tail->lines[0]));
    }

    /** @return iterable<string, array{string}> */
    public static function others(): iterable
    {
        yield 'a link' => ['link'];
        yield 'a pipe that nobody writes into' => ['pipe'];
        yield 'a directory' => ['directory'];
        yield 'a device' => ['device'];
    }

    #[Test]
    #[DataProvider('others')]
    public function what_is_no_file_of_its_own_is_not_read(string $kind): void
    {
        $path = $kind === 'device' ? '/dev/zero' : $this->directory->file('log');

        match ($kind) {
            'link' => symlink($this->directory->write('secret', "secret\n"), $path),
            'pipe' => posix_mkfifo($path, 0o600),
            'directory' => mkdir($path),
            default => true,
        };

        $this->expectExceptionObject(UnableToReadLog::notAFile($path));
        LogTail::of($path);
    }

    #[Test]
    public function what_is_put_in_its_place_at_the_last_moment_is_neither_followed_nor_waited_for(): void
    {
        $path = $this->directory->write('log', "log\n");
        $secret = $this->directory->write('secret', "secret\n");
        $next = $this->directory->file('next');
        // A point for each hundred reads, and whatever was read.
        $reader = new PhpProcess(sprintf('<?php require %s; for ($i = 1; $i <= 20_000; $i++) { try { echo array_diff(Headroom\Host\Log\LogTail::of(%s)->lines, ["log"])[0] ?? ""; } catch (Headroom\Host\Log\UnableToReadLog) {} echo $i %% 100 === 0 ? "." : ""; }', var_export(dirname(__DIR__, 4).'/vendor/autoload.php', true), var_export($path, true)));
        $reader->start();
        $read = '';

        for ($swap = 0; $reader->isRunning(); $swap++) {
            match ($swap % 3) {
                0 => posix_mkfifo($next, 0o600),
                1 => symlink($secret, $next),
                2 => file_put_contents($next, "log\n"),
            };
            rename($next, $path);

            if ($read !== $reader->getOutput()) {
                [$read, $swap] = [$reader->getOutput(), $swap % 3];
            }

            if ($swap === 90_000) {
                $reader->stop(0);
                self::fail('It waits for a pipe.');
            }
        }

        self::assertSame(str_repeat('.', 200), $reader->getOutput(), $reader->getErrorOutput());
    }

    #[Test]
    public function what_is_not_there_says_so(): void
    {
        $this->expectException(UnableToReadLog::class);
        $this->expectExceptionMessage('can not be opened: no such file or directory');
        LogTail::of($this->directory->file('gone'));
    }
}
