<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Spool\History;

use Headroom\Spool\FileStore\Layout;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\History\FlushFailureRecord;
use Headroom\Spool\History\HistoryFile;
use Headroom\Spool\History\HistoryMinute;
use Headroom\Spool\History\HistoryWriter;
use Headroom\Tests\Support\DirectoryTestCase;
use Headroom\Tests\Support\ForkedChild;
use Headroom\Tests\Unit\Support\ManualClock;
use PHPUnit\Framework\Attributes\Test;
use Random\Engine\Mt19937;
use Random\Randomizer;

/**
 * The file with the history of a bucket: what it keeps of a day, and what it makes of damage.
 */
final class HistoryFileTest extends DirectoryTestCase
{
    private const DAY = 1_440;

    /** Minute of 2026-11-28 00:00 UTC. */
    private const START = 29_930_400;

    private Randomizer $random;

    protected function setUp(): void
    {
        parent::setUp();
        $this->random = new Randomizer(new Mt19937((int) getenv('HEADROOM_SEED')));
        mkdir($this->directory->file('buckets/events'), recursive: true);
    }

    #[Test]
    public function each_number_of_a_minute_comes_back(): void
    {
        for ($round = 0; $round < 200; $round++) {
            $minute = $this->generated(self::START + $round);

            self::assertEquals($minute, HistoryMinute::decode($minute->encode()));
            self::assertSame(HistoryMinute::BYTES, strlen($minute->encode()));
        }
    }

    #[Test]
    public function each_failure_comes_back_as_valid_text_of_limited_length(): void
    {
        for ($round = 0; $round < 200; $round++) {
            $bytes = $this->random->getInt(0, 600);
            $text = $bytes === 0 ? '' : $this->random->getBytes($bytes);
            $text = $round % 2 === 0 ? $text : str_repeat('é€😀', intdiv($bytes, 9)).substr($text, 0, $round % 7);
            $message = FlushFailureRecord::message($text);
            $failure = new FlushFailureRecord(1 + $round, $message, 1 + $round, $round);

            self::assertTrue(mb_check_encoding($message, 'UTF-8'));
            self::assertLessThanOrEqual(FlushFailureRecord::MESSAGE_BYTES, strlen($message));
            self::assertEquals($failure, FlushFailureRecord::decode($failure->encode()));
        }
    }

    #[Test]
    public function it_has_its_size_from_the_first_minute_on_and_keeps_one_day(): void
    {
        $minutes = [];

        for ($minute = self::START; $minute < self::START + self::DAY + 107; $minute++) {
            $this->write($minutes[$minute] = $this->generated($minute));
        }

        $last = (int) array_key_last($minutes);
        $kept = array_filter($minutes, static fn (int $at): bool => $at > $last - self::DAY, ARRAY_FILTER_USE_KEY);
        self::assertEquals($kept, $this->history()->minutes($last - self::DAY + 1, $last));
        self::assertSame([], $this->history()->minutes(self::START, self::START + 100));
        self::assertSame(HistoryFile::BYTES, filesize($this->path()));
        self::assertLessThan(400_000, HistoryFile::BYTES);
    }

    #[Test]
    public function damage_of_any_byte_loses_at_most_the_record_that_has_it(): void
    {
        $written = $this->day();
        $whole = (string) file_get_contents($this->path());

        for ($round = 0; $round < 150; $round++) {
            $at = $this->random->getInt(HistoryFile::HEADER_BYTES, strlen($whole) - 1);
            file_put_contents($this->path(), substr_replace($whole, ~$whole[$at], $at, 1));
            $read = $this->history()->minutes(self::START, self::START + self::DAY - 1);
            $failures = count($this->history()->failures());

            self::assertSame([], array_udiff_assoc($read, $written, static fn ($a, $b): int => $a <=> $b));
            self::assertGreaterThanOrEqual(count($written) + 16 - 1, count($read) + $failures);
        }
    }

    #[Test]
    public function a_file_that_is_no_history_is_read_as_empty_and_replaced(): void
    {
        $this->day();
        $whole = (string) file_get_contents($this->path());

        foreach ($this->foreign($whole) as $name => $content) {
            file_put_contents($this->path(), $content);
            self::assertSame([[], []], [
                $this->history()->minutes(self::START, self::START + self::DAY - 1), $this->history()->failures(),
            ], $name);

            $this->write($minute = $this->generated(self::START));
            self::assertEquals(
                [self::START => $minute],
                $this->history()->minutes(self::START, self::START + self::DAY - 1),
                $name,
            );
            self::assertSame(HistoryFile::BYTES, filesize($this->path()), $name);
        }

        self::assertSame(['history'], $this->names());
    }

    #[Test]
    public function a_symbolic_link_is_not_followed_and_a_directory_stays(): void
    {
        file_put_contents($target = $this->directory->file('target'), 'precious');
        symlink($target, $this->path());
        $this->write($this->generated(self::START));
        self::assertSame(['precious', []], [file_get_contents($target), $this->history()->minutes(1, self::START)]);
        unlink($this->path());

        mkdir($this->path());
        $this->write($this->generated(self::START));
        self::assertSame([true, []], [is_dir($this->path()), $this->history()->failures()]);
    }

    #[Test]
    public function two_observations_of_a_minute_add_up_and_the_later_totals_count(): void
    {
        $this->write(new HistoryMinute(self::START, 10, 5, 1, 0, 5, 900, 1, 0, 2, 5, 4, 70, 50, 10));
        $this->write(new HistoryMinute(self::START, flushes: 1, failed: 1, batches: 1, events: 9, largestBatch: 9));
        $this->write(new HistoryMinute(self::START, 30, 19, 1, 0, 11, 100, usedBytes: 20));

        self::assertEquals(
            new HistoryMinute(self::START, 30, 19, 1, 0, 11, 100, 2, 1, 3, 14, 9, 70, 50, 20),
            $this->history()->minutes(self::START, self::START)[self::START],
        );
    }

    #[Test]
    public function a_clock_that_was_set_back_hides_no_new_minute(): void
    {
        $this->write($this->generated(self::START));
        $this->write($this->generated(self::START + 600));
        $this->write($now = $this->generated(self::START + 30));
        $this->write($next = $this->generated(self::START + 31));

        self::assertEquals(
            [self::START + 30 => $now, self::START + 31 => $next],
            $this->history()->minutes(self::START + 1, self::START + self::DAY),
        );
        self::assertCount(1, $this->history()->minutes(self::START, self::START));
    }

    #[Test]
    public function a_small_correction_of_the_clock_removes_nothing(): void
    {
        $this->write($this->generated(self::START));
        $this->write($this->generated(self::START + 1));
        $this->write($this->generated(self::START));

        self::assertSame([self::START, self::START + 1], array_keys($this->history()->minutes(1, self::START + 1)));
    }

    #[Test]
    public function repeated_failures_are_counted_and_sixteen_are_kept(): void
    {
        for ($i = 1; $i <= 40; $i++) {
            $this->failWith($i, 'failure '.intdiv($i, 2));
        }

        $failures = $this->history()->failures();
        self::assertCount(HistoryFile::FAILURES, $failures);
        self::assertSame(['failure 20', 'failure 19'], [$failures[0]->message, $failures[1]->message]);
        self::assertSame([1, 2, 40, 39], [
            $failures[0]->times, $failures[1]->times, $failures[0]->at, $failures[1]->at,
        ]);
    }

    #[Test]
    public function processes_that_write_at_once_lose_nothing(): void
    {
        $this->write(new HistoryMinute(self::START));
        $children = [];

        for ($child = 0; $child < 4; $child++) {
            $children[] = ForkedChild::start(function (): bool {
                for ($i = 0; $i < 200; $i++) {
                    while (! $this->write(new HistoryMinute(self::START, batches: 1, events: 3, largestBatch: 3))) {
                        usleep(100);
                    }
                }

                return true;
            });
        }

        foreach ($children as $child) {
            self::assertTrue($child->isRight());
        }

        $minute = $this->history()->minutes(self::START, self::START)[self::START];
        self::assertSame([800, 2400, 3], [$minute->batches, $minute->events, $minute->largestBatch]);
    }

    #[Test]
    public function a_writer_that_is_killed_leaves_whole_records(): void
    {
        for ($round = 0; $round < 15; $round++) {
            $pid = pcntl_fork();

            if ($pid === 0) {
                for ($minute = self::START; ; $minute++) {
                    $this->write(
                        new HistoryMinute($minute, $minute, $minute, 0, 0, $minute, 5, 1, 0, 1, 7, 7, 9, 9, 1),
                    );
                }
            }

            usleep($this->random->getInt(2_000, 25_000));
            posix_kill($pid, SIGKILL);
            pcntl_waitpid($pid, $status);

            foreach ($this->history()->minutes(self::START, self::START + self::DAY - 1) as $minute) {
                self::assertSame(
                    [$minute->minute, $minute->minute],
                    [$minute->accepted, $minute->pending],
                );
            }

            self::assertTrue($this->write(new HistoryMinute(self::START + self::DAY, pending: 0)));
        }
    }

    /** @return iterable<string, string> */
    private function foreign(string $whole): iterable
    {
        yield 'empty' => '';
        yield 'another version' => substr_replace($whole, "\x02", 3, 1);
        yield 'other sizes' => substr_replace($whole, "\0\0\5\1", 4, 4);
        yield 'longer' => "{$whole}\0";

        for ($i = 0; $i < 20; $i++) {
            yield "cut {$i}" => substr($whole, 0, $this->random->getInt(1, strlen($whole) - 1));
            yield "garbage {$i}" => $this->random->getBytes($this->random->getInt(1, 300_000));
        }
    }

    private function generated(int $minute): HistoryMinute
    {
        $total = fn (): ?int => $this->random->getInt(0, 3) === 0 ? null : $this->random->getInt(0, 1 << 40);
        $accepted = $total();

        return new HistoryMinute(
            $minute,
            $accepted,
            $accepted === null ? null : $total(),
            $accepted === null ? null : $total(),
            $accepted === null ? null : $total(),
            $accepted === null ? null : $total(),
            $accepted === null ? null : $total(),
            $this->random->getInt(0, 4_000_000_000),
            $this->random->getInt(0, 100),
            $this->random->getInt(0, 100),
            $this->random->getInt(0, 1 << 40),
            $this->random->getInt(0, 1_000_000),
            $this->random->getInt(0, 1 << 40),
            $this->random->getInt(0, 1 << 40),
            $accepted === null ? null : $total(),
        );
    }

    /** @return array<int, HistoryMinute> */
    private function day(): array
    {
        $written = [];

        for ($minute = self::START; $minute < self::START + self::DAY; $minute++) {
            $this->write($written[$minute] = $this->generated($minute));
        }

        for ($i = 1; $i <= HistoryFile::FAILURES; $i++) {
            $this->failWith($i, "failure {$i}");
        }

        return $written;
    }

    private function write(HistoryMinute $minute): bool
    {
        $writer = HistoryWriter::open($this->history(), new ManualClock);
        $writer?->add($minute);
        $writer?->close();

        return $writer !== null;
    }

    private function failWith(int $at, string $message): void
    {
        $writer = HistoryWriter::open($this->history(), new ManualClock);
        $writer?->addFailure($at, $message);
        $writer?->close();
    }

    private function history(): HistoryFile
    {
        return HistoryFile::of(new Layout($this->directory->path, 'events'), new Permissions);
    }

    private function path(): string
    {
        return $this->directory->file('buckets/events/history');
    }

    /** @return list<string> */
    private function names(): array
    {
        return array_map(
            static fn (string|false $path): string => basename((string) $path),
            (array) glob(dirname($this->path()).'/*'),
        );
    }
}
