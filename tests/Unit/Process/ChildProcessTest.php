<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Process;

use Headroom\Process\ChildProcess;
use Headroom\Process\Proc;
use Headroom\Process\ProcessOptions;
use Headroom\Process\UnableToStart;
use Headroom\Tests\Support\DirectoryTestCase;
use Headroom\Tests\Support\ForkedChild;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\Test;

#[RequiresPhpExtension('posix')]
final class ChildProcessTest extends DirectoryTestCase
{
    #[Test]
    public function one_that_ends_at_once_is_told_with_its_code_and_log(): void
    {
        $this->expectExceptionObject(UnableToStart::exited('sh', 3, 'the port is taken'));

        // It may have ended before start() returns, or after.
        $this->shell('echo "the port is taken" >&2; exit 3')->awaitReady(static fn (): bool => false);
    }

    #[Test]
    public function one_that_ends_later_is_told_the_same_way(): void
    {
        $daemon = $this->shell('sleep 0.2; echo "the disk is full" >&2; exit 4');

        $this->expectExceptionObject(UnableToStart::exited('sh', 4, 'the disk is full'));
        $daemon->awaitReady(static fn (): bool => false);
    }

    #[Test]
    public function one_that_is_not_ready_in_time_is_ended(): void
    {
        $daemon = $this->shell('exec sleep 100');

        try {
            $daemon->awaitReady(static fn (): bool => false, 50);
            self::fail('It cannot have become ready.');
        } catch (UnableToStart $e) {
            self::assertSame(UnableToStart::notReady('sh', 50, '')->getMessage(), $e->getMessage());
        }

        self::assertFalse((new Proc)->isAlive($daemon->pid));
    }

    #[Test]
    public function its_children_go_with_it_even_when_it_leaves_them_behind(): void
    {
        $daemon = $this->shell('sleep 100 & sleep 100 & wait');
        $proc = new Proc;
        $daemon->awaitReady(static fn (): bool => count($proc->children($daemon->pid)) === 2);
        $children = array_keys($proc->children($daemon->pid));

        $daemon->stop();
        $daemon->stop();

        self::assertFalse($daemon->isRunning());
        self::assertSame([], array_filter($children, $proc->isAlive(...)));
    }

    #[Test]
    public function forgetting_it_ends_it(): void
    {
        $daemon = $this->shell('exec sleep 100');
        $pid = $daemon->pid;
        self::assertTrue((new Proc)->isAlive($pid));

        unset($daemon);
        gc_collect_cycles();

        self::assertFalse((new Proc)->isAlive($pid));
    }

    #[Test]
    #[RequiresPhpExtension('pcntl')]
    public function a_fork_of_the_starter_does_not_end_it(): void
    {
        $daemon = $this->shell('sleep 100 & wait');
        $proc = new Proc;
        $daemon->awaitReady(static fn (): bool => count($proc->children($daemon->pid)) === 1);
        $child = array_key_first($proc->children($daemon->pid));
        $fork = ForkedChild::start(static function () use ($daemon): bool {
            $daemon->stop();

            return true;
        });

        self::assertTrue($fork->isRight());
        self::assertTrue($proc->isAlive($daemon->pid));
        self::assertTrue($proc->isAlive((int) $child));
        $daemon->stop();
    }

    #[Test]
    public function it_gets_the_environment_it_is_given_and_nothing_else(): void
    {
        putenv('HEADROOM_SECRET=1');
        $log = $this->directory->file('log');

        try {
            ChildProcess::start(new ProcessOptions('env', ['/usr/bin/env'], $log, ['GIVEN' => 'a "b" $c']))
                ->awaitReady(static fn (): bool => false);
            self::fail('It ends at once.');
        } catch (UnableToStart $e) {
            self::assertStringContainsString('GIVEN=a "b" $c', $e->log);
            self::assertStringContainsString('PATH=', $e->log);
            self::assertStringNotContainsString('HEADROOM_SECRET', $e->log);
        } finally {
            putenv('HEADROOM_SECRET');
        }
    }

    private function shell(string $script): ChildProcess
    {
        return ChildProcess::start(new ProcessOptions('sh', ['/bin/sh', '-c', $script], $this->directory->file('log')));
    }
}
