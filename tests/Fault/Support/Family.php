<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support;

use Headroom\Spool\File\FileStore;
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
        [$store, $slot] = $this->hold();
        $child = $this->fork();

        if ($child === 0) {
            $this->world->append(['child 1', 'child 2'], store: $store);

            exit(0);
        }

        pcntl_waitpid($child, $status);
        $locked = $this->isLocked($slot);
        $this->world->append(['parent 3', 'parent 4'], store: $store);
        $store->release();

        return ['child' => $status, 'locked' => $locked];
    }

    /** @return array<string, mixed> */
    public function childOutlives(): array
    {
        [$store, $slot] = $this->hold();
        $child = $this->fork();

        if ($child === 0) {
            posix_kill((int) getmypid(), SIGSTOP);

            exit(0);
        }

        $store->release();
        $locked = $this->isLocked($slot);
        posix_kill($child, SIGKILL);
        pcntl_waitpid($child, $status);

        return ['locked' => $locked];
    }

    /** @return array<string, mixed> */
    public function startProgram(): array
    {
        [$store, $slot] = $this->hold();
        $program = proc_open(['sleep', '30'], [], $pipes);
        $before = $this->isLocked($slot);
        $store->release();
        $after = $this->isLocked($slot);

        if ($program === false) {
            throw new RuntimeException('No program could be started.');
        }

        proc_terminate($program, SIGKILL);
        proc_close($program);

        return ['before' => $before, 'after' => $after];
    }

    /** @return array{FileStore, string} the store, and the path of the slot it holds: the second append of a scope keeps it */
    private function hold(): array
    {
        $store = $this->world->store();
        $store->keep();
        $this->world->append(['parent 1', 'parent 2'], store: $store);

        return [$store, $store->layout('events')->active.'/u'.posix_geteuid().'-0000.log'];
    }

    private function fork(): int
    {
        $pid = pcntl_fork();

        return $pid >= 0 ? $pid : throw new RuntimeException('Can not fork.');
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
