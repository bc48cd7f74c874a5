<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Host\Log;

use Headroom\Host\Log\LogTail;
use Headroom\Host\Log\UnableToReadLog;
use Headroom\Tests\Support\DirectoryTestCase;
use Headroom\Tests\Support\Printed;
use Headroom\Tests\Support\Sample;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use Symfony\Component\Process\Exception\ProcessTimedOutException;
use Symfony\Component\Process\PhpProcess;

final class LogTailTest extends DirectoryTestCase
{
    /** Seconds. */
    private const PATIENCE = 20;

    #[Test]
    public function whole_lines_of_a_small_file_are_all_of_it(): void
    {
        self::assertSame(['one', '', 'two'], LogTail::of($this->directory->write('log', "one\n\ntwo\nhalf"))->lines);
        self::assertSame([], LogTail::of($this->directory->write('empty', ''))->lines);
    }

    #[Test]
    public function of_a_large_file_the_end_is_read(): void
    {
        $line = str_repeat('x', 1023)."\n";
        $path = $this->directory->write('log', "first\n".str_repeat($line, 4096)."last\n");
        $tail = LogTail::of($path);

        self::assertSame('last', $tail->lines[count($tail->lines) - 1]);
        self::assertCount(intdiv(LogTail::BYTES, 1024), $tail->lines);
        self::assertSame(trim($line), $tail->lines[0]);
    }

    #[Test]
    public function a_line_that_begins_where_the_end_does_is_a_whole_one(): void
    {
        $tail = LogTail::of($this->directory->write(
            'log',
            "first\n".str_repeat(str_repeat('x', 1023)."\n", intdiv(LogTail::BYTES, 1024)),
        ));

        self::assertCount(intdiv(LogTail::BYTES, 1024), $tail->lines);
        self::assertSame(1023, strlen($tail->lines[0]));
    }

    /** @return iterable<string, array{string}> */
    public static function others(): iterable
    {
        yield 'a link' => ['link'];
        yield 'a pipe without a writer' => ['pipe'];
        yield 'a directory' => ['directory'];
        yield 'a device' => ['device'];
    }

    #[Test]
    #[DataProvider('others')]
    public function a_path_that_is_not_a_regular_file_is_not_read(string $kind): void
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
    public function a_link_or_pipe_put_in_its_place_is_neither_followed_nor_waited_for(): void
    {
        $path = $this->directory->write('log', "log\n");
        $secret = $this->directory->write('secret', "secret\n");
        [$next, $end] = [$this->directory->file('next'), $this->directory->file('end')];
        // It prints that it reads, lines that it should not have read, and that it came to the end.
        $reader = new PhpProcess(sprintf(
            '<?php require %s; for ($i = 0; ! ($i %% 500 === 0 && file_exists(%s));'
                .' $i++) { try { echo array_diff(Headroom\Host\Log\LogTail::of(%s)->lines, ["log"])[0] ?? "";'
                .' } catch (Headroom\Host\Log\UnableToReadLog) {} if ($i === 0) { echo "it reads, ";'
                .' } } echo "to the end";',
            ...array_map(
                static fn (string $file): string => var_export($file, true),
                [dirname(__DIR__, 4).'/vendor/autoload.php', $end, $path],
            ),
        ));
        $reader->start();
        Printed::by($reader, 'it reads');

        $swaps = Sample::number(1_000, 10_000);

        for ($swap = 0; $swap < $swaps; $swap++) {
            match ($swap % 4) {
                0, 2 => file_put_contents($next, "log\n"),
                1 => posix_mkfifo($next, 0o600),
                3 => symlink($secret, $next),
            };
            rename($next, $path);
        }

        touch($end);

        try {
            // A reader that waits for a pipe that is gone never ends. The time limit counts from
            // the start of the process.
            $reader->setTimeout(microtime(true) - $reader->getStartTime() + self::PATIENCE)->wait();
        } catch (ProcessTimedOutException) {
            self::fail("It waits for a pipe: {$reader->getOutput()}");
        }

        self::assertSame('it reads, to the end', $reader->getOutput(), $reader->getErrorOutput());
    }

    #[Test]
    public function a_file_that_is_not_there_is_named(): void
    {
        $gone = $this->directory->file('gone');

        $this->expectExceptionObject(UnableToReadLog::notOpened($gone, 'no such file or directory'));
        LogTail::of($gone);
    }
}
