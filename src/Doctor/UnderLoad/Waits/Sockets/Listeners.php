<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad\Waits\Sockets;

use Headroom\Doctor\Kernel\KernelFiles;
use Headroom\Process\Proc;
use Headroom\Process\ProcStat;

/**
 * Finds the program that listens on a socket. The search reads all descriptors of the machine, so its result is cached.
 * A restarted server has a new socket.
 *
 * @internal
 */
final class Listeners
{
    /** @var array<int, ?string> by inode; null if no process was found, mostly without the permission to see it */
    private array $names = [];

    public function __construct(private readonly KernelFiles $files, private readonly Proc $proc = new Proc) {}

    public function program(int $inode): ?string
    {
        if (! array_key_exists($inode, $this->names)) {
            $this->names[$inode] = $this->search("socket:[{$inode}]");
        }

        return $this->names[$inode];
    }

    private function search(string $target): ?string
    {
        foreach ($this->files->pids() as $pid) {
            if ($this->holds($pid, $target)) {
                return $this->opener($pid, $target)?->name;
            }
        }

        return null;
    }

    /** Child processes of a server inherit its socket, unless the server closes it. */
    private function opener(int $pid, string $target): ?ProcStat
    {
        $stat = $this->proc->stat($pid);

        while ($stat !== null && $stat->parent > 0 && $this->holds($stat->parent, $target)) {
            $stat = $this->proc->stat($stat->parent);
        }

        return $stat;
    }

    private function holds(int $pid, string $target): bool
    {
        foreach ($this->files->numbers("/proc/{$pid}/fd") as $number) {
            if ($this->files->target("/proc/{$pid}/fd/{$number}") === $target) {
                return true;
            }
        }

        return false;
    }
}
