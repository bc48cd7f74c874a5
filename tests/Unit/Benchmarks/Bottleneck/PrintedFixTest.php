<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Benchmarks\Bottleneck;

use Headroom\Benchmarks\Bottleneck\PrintedFix;
use Headroom\Doctor\UnableToEdit;
use Headroom\Tests\Support\DirectoryTestCase;
use PHPUnit\Framework\Attributes\Test;
use RuntimeException;

/**
 * Exactly the printed fix is applied.
 */
final class PrintedFixTest extends DirectoryTestCase
{
    #[Test]
    public function edits_are_made_from_the_last_and_commands_run_in_the_application(): void
    {
        $file = $this->directory->write('site.conf', "one\ntwo\nthree\n");
        $env = $this->directory->file('.env');
        $done = (new PrintedFix(['text' => 'Do it.', 'edits' => [
            ['file' => $env, 'line' => null, 'old' => null, 'new' => 'REDIS_PERSISTENT=true'],
            ['file' => $file, 'line' => 1, 'old' => 'one', 'new' => null],
            ['file' => $file, 'line' => 3, 'old' => 'three', 'new' => 'four'],
        ], 'commands' => ['pwd > here']]))->apply($this->directory->path);

        self::assertSame("two\nfour\n", file_get_contents($file));
        self::assertSame("REDIS_PERSISTENT=true\n", file_get_contents($env));
        self::assertSame($this->directory->path."\n", file_get_contents($this->directory->file('here')));
        self::assertSame(["{$file}:3 - three + four", "{$file}:1 - one", 'pwd > here'], [$done[0], $done[1], $done[3]]);
        self::assertTrue(str_starts_with($done[2], $env), $done[2]);
        self::assertStringEndsWith('+ REDIS_PERSISTENT=true', $done[2]);
    }

    #[Test]
    public function a_line_that_changed_meanwhile_is_not_touched(): void
    {
        $file = $this->directory->write('site.conf', "other\n");
        $this->expectException(UnableToEdit::class);

        (new PrintedFix([
            'text' => 'Do it.',
            'edits' => [['file' => $file, 'line' => 1, 'old' => 'one', 'new' => 'two']],
            'commands' => [],
        ]))->apply($this->directory->path);
    }

    #[Test]
    public function a_command_that_fails_is_reported_with_its_output(): void
    {
        $this->expectException(RuntimeException::class);
        $this->expectExceptionMessage("'echo no such unit >&2; exit 5' ended with 5: no such unit");

        (new PrintedFix([
            'text' => 'Do it.',
            'edits' => [],
            'commands' => ['echo no such unit >&2; exit 5'],
        ]))->apply($this->directory->path);
    }

    #[Test]
    public function a_fix_of_prose_alone_is_refused(): void
    {
        $this->expectException(RuntimeException::class);
        $this->expectExceptionMessage('Think about it.');

        (new PrintedFix(['text' => 'Think about it.', 'edits' => [], 'commands' => []]))->apply($this->directory->path);
    }
}
