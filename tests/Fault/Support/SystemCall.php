<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support;

/**
 * One system call of a run, by its name and how many of that name came before.
 */
final readonly class SystemCall
{
    /** @param int<1, max> $time the how manyth of its name */
    public function __construct(public string $name, public int $time, public string $text) {}

    /**
     * As strace wants it.
     *
     * @param string $times "+" for this one and all of its name that follow
     */
    public function with(string $fault, string $times = ''): string
    {
        return "{$this->name}:{$fault}:when={$this->time}{$times}";
    }

    /** @return list<string> what a disk, a quota or a limit may answer */
    public function errors(): array
    {
        return match ($this->name) {
            'write', 'pwrite64', 'writev' => ['ENOSPC', 'EIO', 'EDQUOT'],
            'openat' => ['EMFILE', 'EACCES'],
            'mkdir', 'mkdirat', 'link', 'linkat' => ['ENOSPC'],
            'chmod', 'fchmod', 'fchmodat' => ['EPERM'],
            'flock', 'fcntl' => ['ENOLCK'],
            'sendto' => ['ECONNRESET'],
            // strace makes an error by not making the call, while a close() that fails has closed all the same.
            'close' => [],
            default => ['EIO'],
        };
    }

    public function inWords(): string
    {
        return "{$this->name}#{$this->time}: {$this->text}";
    }
}
