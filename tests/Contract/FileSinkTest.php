<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract;

use Headroom\Core\Finding;
use Headroom\Core\Json;
use Headroom\Core\Retryable;
use Headroom\Sink\File\FileSink;
use Headroom\Sink\File\UnableToWriteFile;
use Headroom\Spool\Encoding\Codec;
use Headroom\Testing\Arrived;
use Headroom\Testing\AtLeastOnceContract;
use Headroom\Testing\ContractLog;
use Headroom\Tests\Support\Sentence;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\Test;

final class FileSinkTest extends AtLeastOnceContract
{
    private string $file = '';

    protected function setUp(): void
    {
        $this->file = sys_get_temp_dir().'/headroom-sink-'.bin2hex(random_bytes(6)).'.ndjson';
    }

    protected function tearDown(): void
    {
        array_map(
            unlink(...),
            array_filter(
                [$this->file, "{$this->file}.aside"],
                static fn (string $file): bool => is_link($file) || is_file($file),
            ),
        );
    }

    public function createSink(): FileSink
    {
        return new FileSink($this->file);
    }

    public function arrived(): array
    {
        $lines = file($this->file, FILE_IGNORE_NEW_LINES);
        self::assertIsArray($lines);

        return array_map(static function (string $line): Arrived {
            $values = json_decode($line, true, flags: JSON_THROW_ON_ERROR);
            self::assertIsArray($values);
            $id = $values['_id'] ?? null;
            self::assertIsString($id);
            unset($values['_id'], $values['_accepted_at']);

            /** @var array<string, mixed> $values */
            return new Arrived($values, $id);
        }, $lines);
    }

    /** A device that is always full. */
    public function obstruct(): void
    {
        if (is_file($this->file)) {
            rename($this->file, "{$this->file}.aside");
        }

        symlink('/dev/full', $this->file);
    }

    public function clear(): void
    {
        unlink($this->file);

        if (is_file("{$this->file}.aside")) {
            rename("{$this->file}.aside", $this->file);
        }
    }

    #[Test]
    public function json_that_was_written_over_lines_takes_one_of_the_file(): void
    {
        $pretty = (string) json_encode(['a' => "two\nlines", 'b' => [1, 2]], JSON_PRETTY_PRINT);
        $this->createSink()->deliver($this->log()->delivery([
            (new Codec)->decode((new Codec)->encode(['data' => new Json($pretty)]))[0], $this->row('next'),
        ]));

        [$first, $second] = $this->arrived();
        self::assertSame(['data' => ['a' => "two\nlines", 'b' => [1, 2]]], $first->values);
        self::assertSame($this->row('next'), $second->values);
    }

    #[Test]
    #[RequiresPhpExtension('pcntl')]
    #[RequiresPhpExtension('posix')]
    public function a_write_that_the_disk_cuts_short_leaves_no_part_of_it(): void
    {
        $log = $this->log();
        $this->createSink()->deliver($log->delivery([$this->row('a')]));
        $before = file_get_contents($this->file);
        $delivery = $log->delivery([$this->row('b'), $this->row('c')]);

        $failure = $this->withFilesOfAtMost(
            strlen((string) $before) + 20,
            fn () => $this->failureOf($this->createSink(), $delivery),
        );

        self::assertInstanceOf(Retryable::class, $failure);
        self::assertSame($before, file_get_contents($this->file));
        $this->createSink()->deliver($delivery);
        $wanted = strlen((string) file_get_contents($this->file)) - strlen((string) $before);
        Sentence::in(UnableToWriteFile::shortWrite($this->file, 20, $wanted, Sentence::ANY), $failure);
        self::assertSame(['a', 'b', 'c'], $this->arrivedIds());
    }

    #[Test]
    public function half_a_line_that_a_kill_left_spoils_no_event_that_comes_behind_it(): void
    {
        $delivery = ContractLog::of('events')->delivery([['id' => 1], ['id' => 2]]);
        file_put_contents($this->file, '{"_id":"cut off in the mid');
        $this->createSink()->deliver($delivery);

        $lines = file($this->file, FILE_IGNORE_NEW_LINES);
        self::assertIsArray($lines);
        self::assertSame(['{"_id":"cut off in the mid'], array_splice($lines, 0, 1));
        self::assertSame(
            [1, 2],
            array_map(static fn (string $line): mixed => ((array) json_decode($line, true))['id'] ?? null, $lines),
        );
    }

    #[Test]
    public function a_directory_that_is_not_there_is_a_problem_and_a_retryable_failure(): void
    {
        $sink = new FileSink("{$this->file}/missing/events.ndjson");

        $problems = $sink->inspect();
        self::assertSame([true], array_map(static fn (Finding $problem): bool => $problem->fatal, $problems));
        self::assertMatchesRegularExpression(
            "~{$this->file}/missing(?!/)~",
            $problems[0]->fix,
            'The directory, and not the file.',
        );
        self::assertInstanceOf(Retryable::class, $this->failureOf($sink, $this->log()->delivery([$this->row('a')])));
        self::assertSame([], $this->createSink()->inspect());
    }

    /**
     * @template TResult
     *
     * @param callable(): TResult $work
     * @return TResult
     */
    private function withFilesOfAtMost(int $bytes, callable $work): mixed
    {
        $limits = posix_getrlimit();
        self::assertIsArray($limits);
        [$soft, $hard] = [$limits['soft filesize'] ?? null, $limits['hard filesize'] ?? null];
        $number = static fn (mixed $limit): int => is_int($limit) ? $limit : -1;
        // Ignored, the signal becomes the error EFBIG after a short write: write(2).
        pcntl_signal(SIGXFSZ, SIG_IGN);
        posix_setrlimit(POSIX_RLIMIT_FSIZE, $bytes, $number($hard));

        try {
            return $work();
        } finally {
            posix_setrlimit(POSIX_RLIMIT_FSIZE, $number($soft), $number($hard));
            pcntl_signal(SIGXFSZ, SIG_DFL);
        }
    }
}
