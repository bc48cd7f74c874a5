<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad\Waits\Sockets;

use Headroom\Doctor\Kernel\KernelFiles;
use Headroom\Process\Proc;
use Headroom\Process\ProcStat;

/**
 * Which program listens on a socket. All descriptors of the machine are gone through for it, so it is done once per
 * socket: a server that restarts has a new one.
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

    /** Programs that a server starts have its socket as well, where it does not close it for them. */
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
