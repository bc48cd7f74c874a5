<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support;

use Headroom\Spool\Buffer;
use RuntimeException;

/**
 * A writer that holds a slot and has children.
 */
final readonly class Family
{
    public function __construct(private World $world) {}

    /** @return array<string, mixed> */
    public function bothAppend(): array
    {
        [$buffer, $slot] = $this->hold();
        $child = $this->fork();

        if ($child === 0) {
            $this->world->append(['child 1', 'child 2'], buffer: $buffer);

            exit(0);
        }

        pcntl_waitpid($child, $status);
        $locked = $this->isLocked($slot);
        $this->world->append(['parent 3', 'parent 4'], buffer: $buffer);
        $buffer->closeSegments();

        return ['child' => $status, 'locked' => $locked];
    }

    /** @return array<string, mixed> */
    public function childOutlives(): array
    {
        [$buffer, $slot] = $this->hold();
        $child = $this->fork();

        if ($child === 0) {
            posix_kill((int) getmypid(), SIGSTOP);

            exit(0);
        }

        $buffer->closeSegments();
        $locked = $this->isLocked($slot);
        posix_kill($child, SIGKILL);
        pcntl_waitpid($child, $status);

        return ['locked' => $locked];
    }

    /**
     * Leaves the pid of a program that lives on in the file "program", and is killed.
     *
     * @return array<string, mixed>
     */
    public function diesBeforeProgram(): array
    {
        [$buffer] = $this->hold();
        $null = ['file', '/dev/null', 'r+'];
        $program = proc_open(['sleep', '60'], [$null, $null, $null], $pipes);

        if ($program === false) {
            throw new RuntimeException('No program could be started.');
        }

        $pid = proc_get_status($program)['pid'];

        // Until then it is a fork of this process, with all that is open here.
        while (! str_starts_with((string) file_get_contents("/proc/{$pid}/cmdline"), 'sleep')) {
            usleep(1000);
        }

        file_put_contents("{$this->world->directory}/program", (string) $pid);
        posix_kill((int) getmypid(), SIGKILL);
        $buffer->closeSegments();

        return [];
    }

    /**
     * A child sends a signal every fifth of a millisecond, and its handler appends, too.
     *
     * @return array<string, mixed>
     */
    public function appendUnderSignals(): array
    {
        [$buffer] = $this->hold();
        [$parent, $acknowledged, $bySignals] = [(int) getmypid(), 2, 0];
        pcntl_async_signals(true);
        pcntl_signal(SIGUSR1, function () use ($buffer, &$bySignals): void {
            $this->world->append(["signal {$bySignals}"], buffer: $buffer);
            $bySignals++;
        });
        $child = $this->fork();

        while ($child === 0) {
            posix_kill($parent, SIGUSR1) || exit(0);
            usleep(200);
        }

        while ($bySignals <= 500) {
            $this->world->append(["event {$acknowledged}"], buffer: $buffer);
            $acknowledged++;
        }

        pcntl_signal(SIGUSR1, SIG_IGN);
        posix_kill($child, SIGKILL);
        pcntl_waitpid($child, $status);
        $buffer->closeSegments();

        return ['acknowledged' => $acknowledged + $bySignals, 'by signals' => $bySignals];
    }

    /**
     * @return array{Buffer, string} the buffer, and the path of the slot it holds:
     *     the second append of a scope keeps it
     */
    private function hold(): array
    {
        $buffer = $this->world->buffer();
        $buffer->keepSegmentsOpen();
        $this->world->append(['parent 1', 'parent 2'], buffer: $buffer);

        return [$buffer, $this->world->layout()->active.'/u'.posix_geteuid().'-0000.log'];
    }

    private function fork(): int
    {
        $pid = pcntl_fork();

        return $pid >= 0 ? $pid : throw new RuntimeException('Cannot fork.');
    }

    private function isLocked(string $path): bool
    {
        $file = fopen($path, 're');

        if ($file === false) {
            throw new RuntimeException("{$path} is gone.");
        }

        $locked = ! flock($file, LOCK_EX | LOCK_NB);
        fclose($file);

        return $locked;
    }
}
