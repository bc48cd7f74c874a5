<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Bench\Queues;

use Headroom\Bench\Queues\WorkerErrors;
use Headroom\Process\TemporaryDirectory;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use RuntimeException;

final class WorkerErrorsTest extends TestCase
{
    /** @return iterable<string, array{string, string}> */
    public static function messages(): iterable
    {
        yield 'short' => ['gone away', 'gone away'];
        yield 'none' => ['', ''];
        yield 'a query of a megabyte' => [
            'Deadlock found (Connection: mysql, SQL: insert into jobs values ('.str_repeat("x\n", 500_000).'))',
            'Deadlock found',
        ];
        yield 'a query as Laravel 10 had it' => ['Deadlock found (SQL: select 1)', 'Deadlock found'];
        yield 'lines' => ["one\r\n\ttwo\n\n three", 'one two three'];
        yield 'colours of a terminal' => ["\x1b[31mred\0", ' [31mred '];
        yield 'no UTF-8' => ["caf\xe9 au lait", 'caf? au lait'];
        yield 'half a letter' => ["caf\xc3", 'caf?'];
    }

    #[Test]
    #[DataProvider('messages')]
    public function a_failure_is_one_short_line(string $message, string $words): void
    {
        self::assertSame("RuntimeException: {$words}\n", WorkerErrors::line(new RuntimeException($message)));
    }

    #[Test]
    public function a_long_message_is_cut_between_letters(): void
    {
        foreach (range(0, 4) as $shift) {
            $line = WorkerErrors::line(new RuntimeException(str_repeat('x', $shift).str_repeat("\u{20ac}", 400_000)));

            self::assertLessThanOrEqual(241, strlen($line));
            self::assertGreaterThan(235, strlen($line));
            self::assertStringEndsWith(" ...\n", $line);
            self::assertTrue(mb_check_encoding($line, 'UTF-8'));
        }
    }

    #[Test]
    public function a_long_message_is_cut_between_words_where_it_has_some(): void
    {
        self::assertSame(
            'RuntimeException:'.str_repeat(' accepting', 21)." ...\n",
            WorkerErrors::line(new RuntimeException(trim(str_repeat('accepting ', 30)))),
        );
        // The name of the class has 18 bytes.
        self::assertSame(
            'RuntimeException: '.str_repeat('x', 222)."\n",
            WorkerErrors::line(new RuntimeException(str_repeat('x', 222))),
        );
        self::assertSame(
            'RuntimeException: '.str_repeat('x', 218)." ...\n",
            WorkerErrors::line(new RuntimeException(str_repeat('x', 223))),
        );
    }

    #[Test]
    public function the_message_of_postgres_that_is_down_is_reported_to_its_end(): void
    {
        $said = "SQLSTATE[08006] [7] connection to server at \"127.0.0.1\", port 5432 failed: Connection refused\n\tIs"
            .' the server running on that host and accepting TCP/IP connections?';

        self::assertStringEndsWith(
            " accepting TCP/IP connections?\n",
            WorkerErrors::line(new RuntimeException("{$said} (Connection: pgsql, SQL: select 1)")),
        );
    }

    #[Test]
    public function a_class_without_a_name_is_still_one_line(): void
    {
        $line = WorkerErrors::line(new class('gone') extends RuntimeException {});

        self::assertSame(1, substr_count($line, "\n"));
        self::assertStringEndsWith(": gone\n", $line);
        self::assertStringNotContainsString("\0", $line);
    }

    #[Test]
    public function errors_of_all_workers_are_counted_without_their_job_ids(): void
    {
        $place = TemporaryDirectory::create('complaints');
        $one = '0b7c2a1e-51a2-4f3b-9a55-0123456789ab';
        $other = 'f0f0f0f0-51a2-4f3b-9a55-ba9876543210';
        file_put_contents(WorkerErrors::path($place->path, 1), "Rare: x\nGone: job {$one}\n");
        file_put_contents(WorkerErrors::path($place->path, 12), "Gone: job {$other}\n\nGone: job {$one}");
        $counts = WorkerErrors::in($place->path);
        $place->remove();

        self::assertSame(['Gone: job ...' => 3, 'Rare: x' => 1], $counts);
    }

    #[Test]
    public function without_complaints_there_is_nothing(): void
    {
        self::assertSame([], WorkerErrors::in('/no/such/place'));
    }
}
