<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Suite;

use FilesystemIterator;
use Headroom\Tests\Support\Snapshot;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\ExpectationFailedException;
use PHPUnit\Framework\TestCase;
use RecursiveDirectoryIterator;
use RecursiveIteratorIterator;
use SplFileInfo;

final class SnapshotTest extends TestCase
{
    /** @return iterable<string, array{string, string}> */
    public static function printed(): iterable
    {
        yield 'numbers' => ['1,234 of 56 events', 'N of N events'];
        yield 'a time and how long it took' => ['2026-01-31T10:00:00+00:00: 1.5 ms', 'N: N <time>'];
        yield 'an address' => ['redis 127.0.0.1:6379', 'redis N'];
        yield 'a temporary file' => [sys_get_temp_dir().'/headroom-a1/x', '<temporary>/x'];
        yield 'the width of a table' => ["a      b  \n------", "a  b\n---"];
        yield 'colours' => ["\e[31mno\e[0m", 'no'];
        yield 'words stay' => ['A dead letter is kept.', 'A dead letter is kept.'];
    }

    #[Test]
    #[DataProvider('printed')]
    public function words_are_held_and_numbers_are_not(string $printed, string $words): void
    {
        self::assertSame($words, Snapshot::words($printed));
    }

    #[Test]
    public function other_words_and_an_unknown_case_fail(): void
    {
        $failed = 0;

        foreach ([['logs-slow', 'a case that no test has'], ['no such command', 'x']] as [$subject, $case]) {
            try {
                Snapshot::assertPrinted($subject, $case, 'other words');
            } catch (ExpectationFailedException) {
                $failed++;
            }
        }

        self::assertSame(2, $failed);
    }

    #[Test]
    public function make_snapshots_runs_each_class_that_has_one(): void
    {
        $left = [];
        $tests = new RecursiveIteratorIterator(new RecursiveDirectoryIterator(
            dirname(__DIR__, 2),
            FilesystemIterator::SKIP_DOTS,
        ));

        foreach ($tests as $file) {
            $path = $file instanceof SplFileInfo ? $file->getPathname() : '';
            $text = str_ends_with($path, 'Test.php') && $path !== __FILE__ ? (string) file_get_contents($path) : '';

            if (str_contains($text, 'Snapshot::assertPrinted(') && ! str_contains($text, "#[Group('snapshot')]")) {
                $left[] = $path;
            }
        }

        self::assertSame([], $left);
    }
}
