<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Process;

use Headroom\Process\Proc;
use Headroom\Process\ProcStat;
use Headroom\Tests\Support\DirectoryTestCase;
use PHPUnit\Framework\Attributes\Test;

final class ProcTest extends DirectoryTestCase
{
    #[Test]
    public function a_name_with_brackets_and_blanks_does_not_shift_the_fields(): void
    {
        $stat = ProcStat::fromLine(self::line(42, 7, 'S', 'a) S 1 (b'));

        self::assertNotNull($stat);
        self::assertSame(
            [42, 'a) S 1 (b', 'S', 7, 30, 4711],
            [$stat->pid, $stat->name, $stat->state, $stat->parent, $stat->cpuTicks, $stat->startTicks],
        );
    }

    #[Test]
    public function a_line_that_breaks_off_is_no_process(): void
    {
        self::assertNull(ProcStat::fromLine('42 (php) S 7 0 0'));
        self::assertNull(ProcStat::fromLine(''));
    }

    #[Test]
    public function a_zombie_is_not_alive(): void
    {
        $this->process(42, 1, 'Z');
        $this->process(43, 1, 'R');
        $proc = new Proc($this->directory->path);

        self::assertFalse($proc->isAlive(42));
        self::assertTrue($proc->isAlive(43));
        self::assertFalse($proc->isAlive(44));
    }

    #[Test]
    public function children_are_those_that_live_and_descendants_reach_through_the_dead(): void
    {
        $this->process(10, 1);
        $this->process(11, 10);
        $this->process(12, 10, 'Z');
        $this->process(13, 12);
        $this->process(20, 1);
        $proc = new Proc($this->directory->path);

        self::assertSame([11], array_keys($proc->children(10)));
        self::assertEqualsCanonicalizing([11, 13], array_keys($proc->descendants(10)));
    }

    #[Test]
    public function this_very_process_is_found_in_the_real_proc(): void
    {
        $proc = new Proc;
        $pid = (int) getmypid();

        self::assertTrue($proc->isAlive($pid));
        self::assertSame(posix_geteuid(), $proc->owner($pid));
        self::assertSame(posix_getppid(), $proc->stat($pid)?->parent);
        self::assertStringContainsString('php', $proc->commandLine($pid)[0] ?? '');
        self::assertSame(readlink('/proc/self/exe'), $proc->executable($pid));
        self::assertFalse($proc->isElsewhere($pid));
        self::assertGreaterThan(2, $proc->openFilesLimit($pid));
        self::assertArrayHasKey($pid, $proc->named($proc->stat($pid)->name));
    }

    #[Test]
    public function processes_are_found_by_their_whole_name_while_they_live(): void
    {
        $this->process(42, 1);
        $this->process(43, 1, 'Z');
        $proc = new Proc($this->directory->path);

        self::assertSame([42], array_keys($proc->named('php')));
        self::assertSame([], $proc->named('ph'));
        self::assertSame(
            [null, null, null],
            [$proc->executable(42), $proc->openFilesLimit(42), $proc->isElsewhere(42)],
        );
    }

    #[Test]
    public function a_program_is_run_because_a_process_of_ones_own_or_of_roots_does(): void
    {
        foreach ([(int) getmypid() => 1000, 42 => 1000, 43 => 0, 44 => 1001] as $pid => $owner) {
            mkdir($this->directory->file((string) $pid));
            $this->directory->write("{$pid}/status", "Uid:\t{$owner}\t{$owner}\t{$owner}\t{$owner}\n");
        }

        $proc = new Proc($this->directory->path);

        self::assertSame(
            [true, true, false, false],
            array_map(static fn (int $pid): bool => $proc->mayRun($pid, '/opt/server'), [42, 43, 44, 45]),
        );
    }

    private function process(int $pid, int $parent, string $state = 'S'): void
    {
        mkdir($this->directory->file((string) $pid));
        $this->directory->write("{$pid}/stat", self::line($pid, $parent, $state, 'php'));
    }

    private static function line(int $pid, int $parent, string $state, string $name): string
    {
        return "{$pid} ({$name}) {$state} {$parent} 1 1 0 -1 4194560 1 0 0 0 10 20 0 0 20 0 1 0 4711 1000 10"
            ." 18446744073709551615 0\n";
    }
}
