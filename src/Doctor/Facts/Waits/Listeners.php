<?php

declare(strict_types=1);

namespace Headroom\Doctor\Facts\Waits;

use Headroom\Doctor\Facts\Kernel\KernelFiles;
use Headroom\Host\Proc;

/**
 * Which program listens on a socket. All descriptors of the machine are gone through for it, so it is done once per socket: a server that
 * is started anew has a new one.
 *
 * @internal
 */
final class Listeners
{
    /** @var array<int, ?string> by inode; null where nobody was seen, mostly for want of the right to look */
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
            foreach ($this->files->numbers("/proc/{$pid}/fd") as $number) {
                if ($this->files->target("/proc/{$pid}/fd/{$number}") === $target) {
                    return $this->proc->stat($pid)?->name;
                }
            }
        }

        return null;
    }
}
