<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Spool\History;

use Headroom\Spool\History\FlushFailureRecord;
use Headroom\Spool\History\HistoryFile;
use Headroom\Spool\History\HistoryMinute;
use Headroom\Spool\History\HistoryWriter;
use Headroom\Tests\Laravel\Support\SteppingClock;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use Random\Engine\Mt19937;
use Random\Randomizer;

/**
 * The ring of minutes and the ring of failures: what was written is read, and damage costs what is damaged.
 */
final class HistoryDamageTest extends HistoryTestCase
{
    #[Test]
    public function every_number_of_a_minute_is_read_as_it_was_written(): void
    {
        $random = new Randomizer(new Mt19937(34));

        for ($case = 0; $case < 300; $case++) {
            $any = static fn (): int => $random->getInt(0, 3) === 0 ? 0 : $random->getInt(0, PHP_INT_MAX);
            $maybe = static fn (): ?int => $random->getInt(0, 2) === 0 ? null : $any();
            $small = static fn (): int => $random->getInt(0, 0xFFFF_FFFF);
            $minute = new HistoryMinute(
                max(1, $any()),
                $maybe(),
                $maybe(),
                $maybe(),
                $maybe(),
                $maybe(),
                $maybe(),
                $small(),
                $small(),
                $small(),
                $any(),
                $small(),
                $any(),
                $any(),
                $maybe(),
            );
            $bytes = $minute->encode();

            self::assertSame(HistoryMinute::BYTES, strlen($bytes));
            self::assertEquals($minute, HistoryMinute::decode($bytes));
        }
    }

    #[Test]
    public function two_records_of_a_minute_are_added_and_the_later_observation_counts(): void
    {
        $this->add(
            new HistoryMinute(self::MINUTE, 10, 4, 1, 0, 5, 900, 1, 1, 2, 4, 3, 500, 400, 77),
            new HistoryMinute(self::MINUTE, flushes: 2, batches: 1, events: 9, largestBatch: 9, slowestMicros: 60),
        );
        self::assertEquals(
            [self::MINUTE => new HistoryMinute(self::MINUTE, 10, 4, 1, 0, 5, 900, 3, 1, 3, 13, 9, 500, 400, 77)],
            $this->history->minutes(self::MINUTE, self::MINUTE),
        );

        $this->add(new HistoryMinute(self::MINUTE, 20, 20, 0, 0, 0));
        $seen = $this->history->minutes(self::MINUTE, self::MINUTE)[self::MINUTE];
        self::assertSame([20, 0, null, null, 13], [
            $seen->accepted, $seen->pending, $seen->oldestMilliseconds, $seen->usedBytes, $seen->events,
        ]);
    }

    #[Test]
    public function a_day_and_more_goes_around_and_the_file_never_grows(): void
    {
        $last = self::MINUTE + 2 * HistoryFile::MINUTES + 17;

        for ($minute = self::MINUTE; $minute <= $last; $minute++) {
            $this->add(new HistoryMinute($minute, events: $minute - self::MINUTE));
        }

        clearstatcache();
        self::assertSame(HistoryFile::BYTES, filesize($this->history->path));
        self::assertLessThan(300_000, HistoryFile::BYTES);
        $expected = range($last - HistoryFile::MINUTES + 1, $last);
        self::assertSame($expected, array_keys($this->history->minutes(0, $last)));
        self::assertSame($expected, array_keys($this->history->minutes($last - HistoryFile::MINUTES + 1, $last)));
        self::assertSame([$last - 1, $last], array_keys($this->history->minutes($last - 1, $last + 500)));
        self::assertSame([], $this->history->minutes($last, $last - 1));
        self::assertSame([], $this->history->minutes(-5, 0));
    }

    #[Test]
    public function a_flipped_byte_costs_one_record_and_nothing_else(): void
    {
        $random = new Randomizer(new Mt19937(34));
        $this->add(...array_map(
            static fn (int $minute): HistoryMinute => new HistoryMinute(self::MINUTE + $minute, 5, events: $minute),
            range(0, HistoryFile::MINUTES - 1),
        ));
        $this->fails(...array_map(static fn (int $n): string => "failure {$n}", range(1, HistoryFile::FAILURES)));
        [$whole, $minutes] = [$this->content(), $this->events(self::MINUTE)];
        $failures = $this->history->failures();
        self::assertCount(HistoryFile::MINUTES, $minutes);

        for ($case = 0; $case < 400; $case++) {
            // Few bytes are in the header, so it gets more than its share.
            $place = $random->getInt(0, $case % 4 === 0 ? HistoryFile::HEADER_BYTES - 1 : HistoryFile::BYTES - 1);
            $bytes = $whole;
            $bytes[$place] = chr(ord($bytes[$place]) ^ $random->getInt(1, 255));
            $this->put($bytes);
            $left = $this->events(self::MINUTE);

            self::assertSame([], array_diff_assoc($left, $minutes), "byte {$place}");
            $lost = HistoryFile::MINUTES - count($left);
            $without = count($failures) - count($this->history->failures());

            // The magic and the sizes belong to the whole file.
            $place < strlen(HistoryFile::header())
                ? self::assertSame([HistoryFile::MINUTES, count($failures)], [$lost, $without], "byte {$place}")
                : self::assertSame(
                    $place < HistoryFile::HEADER_BYTES ? 0 : 1,
                    $lost + $without,
                    "byte {$place} of the file",
                );
        }

        $this->put($whole);
        self::assertEquals($failures, $this->history->failures());
    }

    #[Test]
    public function a_record_that_was_copied_to_another_place_is_left_out(): void
    {
        $this->add(new HistoryMinute(self::MINUTE, events: 7));
        $this->fails('first');
        $bytes = $this->content();
        $slot = substr($bytes, HistoryFile::minuteAt(self::MINUTE), HistoryMinute::BYTES);
        $failure = substr($bytes, HistoryFile::failureAt(0), FlushFailureRecord::BYTES);
        $bytes = substr_replace($bytes, $slot, HistoryFile::minuteAt(self::MINUTE + 5), HistoryMinute::BYTES);
        $bytes = substr_replace($bytes, $failure, HistoryFile::failureAt(3), FlushFailureRecord::BYTES);
        $none = str_repeat("\0", FlushFailureRecord::BYTES);
        $this->put(substr_replace($bytes, $none, HistoryFile::failureAt(0), FlushFailureRecord::BYTES));

        self::assertSame([self::MINUTE => 7], $this->events(self::MINUTE - 10));
        self::assertSame([], $this->history->failures());
    }

    /** @return iterable<string, array{string}> */
    public static function foreignContents(): iterable
    {
        $random = new Randomizer(new Mt19937(34));
        $whole = str_pad(HistoryFile::header(), HistoryFile::BYTES, "\0");

        yield 'empty' => [''];
        yield 'garbage' => [$random->getBytes(10_000)];
        yield 'garbage of its size' => [$random->getBytes(HistoryFile::BYTES)];
        yield 'zeros of its size' => [str_repeat("\0", HistoryFile::BYTES)];
        yield 'too long by a byte' => ["{$whole}\0"];
        yield 'far too long' => [str_repeat($whole, 20)];
        yield 'another version' => [substr_replace($whole, "\2", 3, 1)];
        yield 'a state file' => [str_pad("\xF5HS\x01", 8_192, "\0")];

        for ($length = 1; $length < HistoryFile::BYTES; $length += 9_973) {
            yield "cut after {$length} bytes" => [substr($whole, 0, $length)];
        }
    }

    #[Test, DataProvider('foreignContents')]
    public function a_file_that_is_no_history_reads_as_empty_and_is_replaced(string $content): void
    {
        $this->put($content);
        self::assertSame([[], []], [$this->history->minutes(1, 100), $this->history->failures()]);

        $this->add(new HistoryMinute(self::MINUTE, events: 3));
        clearstatcache();
        self::assertSame([self::MINUTE => 3], $this->events(self::MINUTE));
        self::assertSame(HistoryFile::BYTES, filesize($this->history->path));
        self::assertSame(['history'], array_values(array_diff(
            (array) scandir(dirname($this->history->path)),
            ['.', '..'],
        )));
    }

    #[Test]
    #[TestWith(['link'])]
    #[TestWith(['dangling link'])]
    #[TestWith(['directory'])]
    #[TestWith(['pipe'])]
    public function only_a_regular_file_is_read_or_written(string $kind): void
    {
        $this->add(new HistoryMinute(self::MINUTE, events: 3));
        $elsewhere = $this->directory->file('elsewhere');
        rename($this->history->path, $elsewhere);
        $before = file_get_contents($elsewhere);

        match ($kind) {
            'link' => symlink($elsewhere, $this->history->path),
            'dangling link' => symlink("{$elsewhere}-not", $this->history->path),
            'directory' => mkdir($this->history->path),
            'pipe' => posix_mkfifo($this->history->path, 0600),
            default => self::fail($kind),
        };

        self::assertNull(HistoryWriter::open($this->history, new SteppingClock));
        self::assertSame([], $this->history->minutes(self::MINUTE, self::MINUTE));
        self::assertSame([], $this->history->failures());
        self::assertSame($before, file_get_contents($elsewhere));
        self::assertFileDoesNotExist("{$elsewhere}-not");
    }

    #[Test]
    public function a_hard_link_to_another_file_loses_the_name_and_keeps_its_bytes(): void
    {
        $elsewhere = $this->directory->file('elsewhere');
        file_put_contents($elsewhere, 'of another program');
        link($elsewhere, $this->history->path);
        $this->add(new HistoryMinute(self::MINUTE, events: 3));

        self::assertSame('of another program', file_get_contents($elsewhere));
        self::assertSame([self::MINUTE => 3], $this->events(self::MINUTE));
    }

    #[Test]
    public function a_file_that_was_replaced_while_a_writer_waited_for_it_is_opened_again(): void
    {
        $this->add(new HistoryMinute(self::MINUTE, events: 3));
        $content = $this->content();
        $held = fopen($this->history->path, 'r+');
        self::assertIsResource($held);
        self::assertTrue(flock($held, LOCK_EX));
        $clock = new ReplacingClock(function () use ($content, $held): void {
            unlink($this->history->path);
            $this->put($content);
            flock($held, LOCK_UN);
        });
        $writer = HistoryWriter::open($this->history, $clock);
        self::assertNotNull($writer);
        $writer->add(new HistoryMinute(self::MINUTE, events: 4));
        $writer->close();

        self::assertSame([self::MINUTE => 7], $this->events(self::MINUTE));
    }

    #[Test]
    public function a_clock_that_was_set_back_leaves_no_minutes_to_come(): void
    {
        foreach ([0, 1, 2, 700, 1_400] as $minute) {
            $this->add(new HistoryMinute(self::MINUTE + $minute, events: 100 + $minute));
        }

        // Set back by hours: the minutes come a second time, and are not added to those of the first.
        $this->add(new HistoryMinute(self::MINUTE + 2, events: 1));
        self::assertSame(
            [self::MINUTE => 100, self::MINUTE + 1 => 101, self::MINUTE + 2 => 1],
            $this->events(self::MINUTE),
        );
        $this->add(new HistoryMinute(self::MINUTE + 3, events: 2), new HistoryMinute(self::MINUTE + 3, events: 2));
        self::assertSame(4, $this->events(self::MINUTE)[self::MINUTE + 3]);
    }

    #[Test]
    public function a_clock_that_is_corrected_by_seconds_loses_no_minute(): void
    {
        $this->add(
            new HistoryMinute(self::MINUTE, events: 1),
            new HistoryMinute(self::MINUTE + 1, events: 10),
            new HistoryMinute(self::MINUTE, events: 1),
            new HistoryMinute(self::MINUTE + 1, events: 10),
        );
        self::assertSame([self::MINUTE => 2, self::MINUTE + 1 => 20], $this->events(self::MINUTE));
    }

    #[Test]
    #[TestWith([1_000_000])]
    #[TestWith([PHP_INT_MAX - self::MINUTE])]
    public function a_clock_that_was_far_ahead_hides_nothing_afterwards(int $ahead): void
    {
        $this->add(
            new HistoryMinute(self::MINUTE, events: 1),
            new HistoryMinute(self::MINUTE + $ahead, events: 99),
            new HistoryMinute(self::MINUTE + 1, events: 2),
            new HistoryMinute(self::MINUTE + 2, events: 3),
        );
        $seen = $this->events(self::MINUTE);
        self::assertSame([2, 3], [$seen[self::MINUTE + 1], $seen[self::MINUTE + 2]]);
        self::assertSame([], $this->events(self::MINUTE + 3));
    }

    #[Test]
    public function the_last_failures_stay_and_a_failure_that_repeats_is_counted(): void
    {
        for ($n = 1; $n <= 40; $n++) {
            $this->fails("failure {$n}", "failure {$n}");
        }

        $failures = $this->history->failures();
        self::assertSame(
            array_map(static fn (int $n): string => "failure {$n}", range(40, 40 - HistoryFile::FAILURES + 1)),
            array_map(static fn (FlushFailureRecord $failure): string => $failure->message, $failures),
        );
        self::assertSame([2], array_unique(array_map(
            static fn (FlushFailureRecord $failure): int => $failure->times,
            $failures,
        )));
        self::assertSame(1_000_001, $failures[0]->at);
    }

    #[Test]
    public function a_message_is_cut_between_characters_and_is_valid_utf8(): void
    {
        $random = new Randomizer(new Mt19937(34));

        for ($case = 0; $case < 200; $case++) {
            $message = $case % 2 === 0
                ? str_repeat(['é', '€', '😀', 'a'][$case % 4], $random->getInt(1, 500))
                : $random->getBytes($random->getInt(1, 900));
            $this->fails($message);
            $seen = $this->history->failures()[0]->message;

            self::assertTrue(mb_check_encoding($seen, 'UTF-8'));
            self::assertLessThanOrEqual(FlushFailureRecord::MESSAGE_BYTES, strlen($seen));

            if ($case % 2 === 0) {
                self::assertSame(substr($message, 0, strlen($seen)), $seen);
                self::assertGreaterThan(min(strlen($message), FlushFailureRecord::MESSAGE_BYTES) - 4, strlen($seen));
            }
        }
    }
}
