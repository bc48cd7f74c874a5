<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Host\Log;

use Headroom\Host\Log\LogFile;
use Headroom\Host\Log\UnableToReadLog;
use Headroom\Tests\Support\DirectoryTestCase;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\Test;

#[RequiresPhpExtension('posix')]
final class LogFileTest extends DirectoryTestCase
{
    #[Test]
    public function a_file_is_read_whole_and_its_position_known(): void
    {
        $text = random_bytes(500_000);
        $file = LogFile::open($this->directory->write('a.log', "A{$text}"));

        self::assertSame([500_001, 0], [$file->size(), $file->position()]);
        self::assertSame("A{$text}", self::all($file));
        self::assertSame(500_001, $file->position());
    }

    #[Test]
    public function files_of_no_and_of_one_byte(): void
    {
        self::assertSame('', self::all(LogFile::open($this->directory->write('a', ''))));
        self::assertSame("\x1f", self::all(LogFile::open($this->directory->write('b', "\x1f"))));
    }

    #[Test]
    #[RequiresPhpExtension('zlib')]
    public function gzip_is_told_by_its_first_bytes_and_may_have_several_members(): void
    {
        $one = self::text(100_000);
        $packed = gzencode($one).gzencode('two').gzencode('').gzencode($one);
        $file = LogFile::open($this->directory->write('named.log', $packed));

        self::assertSame($one.'two'.$one, self::all($file));
        self::assertSame([strlen($packed), strlen($packed)], [$file->size(), $file->position()]);
    }

    #[Test]
    #[RequiresPhpExtension('zlib')]
    public function bytes_behind_the_last_member_are_padding(): void
    {
        self::assertSame(
            'one',
            self::all(LogFile::open($this->directory->write('a.gz', gzencode('one').str_repeat("\0", 10_000)))),
        );
    }

    #[Test]
    #[RequiresPhpExtension('zlib')]
    public function gzip_that_is_cut_short_is_read_as_far_as_it_goes_and_named(): void
    {
        $text = self::text(200_000);
        $packed = (string) gzencode($text);

        // Within the header, the data, and the checksum behind them.
        foreach ([5, intdiv(strlen($packed), 2), strlen($packed) - 4] as $length) {
            [$read, $failure] = $this->readUntilFailure(substr($packed, 0, $length));

            self::assertSame(0, substr_compare($text, $read, 0, strlen($read)));
            self::assertSame(UnableToReadLog::cutShort($failure->log, $length)->getMessage(), $failure->getMessage());
        }
    }

    #[Test]
    #[RequiresPhpExtension('zlib')]
    public function gzip_that_is_corrupt_is_read_as_far_as_it_goes_and_named(): void
    {
        $text = self::text(900_000);
        $packed = (string) gzencode($text);
        $packed = substr_replace($packed, str_repeat("\xff", 64), strlen($packed) - 3_000, 64);
        [$read, $failure] = $this->readUntilFailure($packed);

        $numbers = preg_match_all('/(?<= )\d+\b/', $failure->getMessage(), $found) === 1 ? $found[0] : ['0'];
        self::assertSame(
            UnableToReadLog::corrupt($failure->log, (int) $numbers[0])->getMessage(),
            $failure->getMessage(),
        );
        self::assertNotSame('', $read);
        self::assertStringStartsWith(substr($read, 0, 100_000), $text);
    }

    #[Test]
    #[RequiresPhpExtension('zlib')]
    public function a_bomb_takes_no_memory(): void
    {
        $deflate = deflate_init(ZLIB_ENCODING_GZIP, ['level' => 9]);
        self::assertNotFalse($deflate);
        $packed = '';

        for ($i = 0; $i < 50; $i++) {
            $packed .= deflate_add($deflate, str_repeat("\n", 1_000_000), $i === 49 ? ZLIB_FINISH : ZLIB_NO_FLUSH);
        }

        $file = LogFile::open($this->directory->write('bomb.gz', $packed));
        memory_reset_peak_usage();
        $before = memory_get_usage();
        $bytes = 0;

        foreach ($file->chunks() as $chunk) {
            $bytes += strlen($chunk);
        }

        self::assertSame(50_000_000, $bytes);
        self::assertLessThan(16_000_000, memory_get_peak_usage() - $before);
    }

    #[Test]
    public function a_directory_and_a_file_that_is_not_there_are_named(): void
    {
        $gone = $this->directory->file('gone');
        $directory = UnableToReadLog::directory($this->directory->path);

        foreach ([$directory, UnableToReadLog::notOpened($gone, 'no such file or directory')] as $expected) {
            try {
                LogFile::open($expected->log);
                self::fail('There is nothing to read.');
            } catch (UnableToReadLog $e) {
                self::assertSame([$expected->getMessage(), $expected->log], [$e->getMessage(), $e->log]);
            }
        }
    }

    #[Test]
    public function a_pipe_that_hands_over_byte_by_byte_is_read_too(): void
    {
        $path = $this->directory->file('pipe');
        self::assertTrue(posix_mkfifo($path, 0o600));
        $packed = (string) gzencode('through a pipe');
        $writer = proc_open(
            [
                PHP_BINARY,
                '-r',
                '$f = fopen($argv[1], "w"); foreach (str_split(base64_decode($argv[2])) as $byte) { fwrite($f, $byte);'
                    .' fflush($f); usleep(500); }',
                $path,
                base64_encode($packed),
            ],
            [],
            $pipes,
        );
        self::assertIsResource($writer);
        $file = LogFile::open($path);

        self::assertNull($file->size());
        self::assertSame('through a pipe', self::all($file));
        proc_close($writer);
    }

    /** @return array{string, UnableToReadLog} what was read, and how it ended */
    private function readUntilFailure(string $packed): array
    {
        $read = '';

        try {
            foreach (LogFile::open($this->directory->write('broken.gz', $packed))->chunks() as $chunk) {
                $read .= $chunk;
            }
        } catch (UnableToReadLog $e) {
            return [$read, $e];
        }

        self::fail('It is broken.');
    }

    private static function all(LogFile $file): string
    {
        $text = '';

        foreach ($file->chunks() as $chunk) {
            $text .= $chunk;
        }

        return $text;
    }

    private static function text(int $bytes): string
    {
        $text = '';

        for ($i = 0; strlen($text) < $bytes; $i++) {
            $text .= md5((string) $i)."\n";
        }

        return $text;
    }
}
