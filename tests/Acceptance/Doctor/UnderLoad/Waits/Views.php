<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor\UnderLoad\Waits;

use Headroom\Doctor\Kernel\KernelFiles;
use Headroom\Process\TemporaryDirectory;

/**
 * The kernel's files of this machine, with some of a process's left out: what a kernel refuses,
 * or a container has another of.
 */
final readonly class Views
{
    private TemporaryDirectory $directory;

    public function __construct(int $pid, string ...$without)
    {
        $this->directory = TemporaryDirectory::create('proc');
        mkdir($this->directory->file("proc/{$pid}"), recursive: true);

        foreach (array_diff((array) scandir('/proc'), ['.', '..', (string) $pid, ...$without]) as $name) {
            symlink("/proc/{$name}", $this->directory->file("proc/{$name}"));
        }

        foreach (['stat', 'syscall', 'wchan', 'mem', 'fd', 'fdinfo', 'net', 'ns'] as $name) {
            in_array($name, $without, true)
                || symlink("/proc/{$pid}/{$name}", $this->directory->file("proc/{$pid}/{$name}"));
        }
    }

    public function __destruct()
    {
        $this->directory->remove();
    }

    public function files(): KernelFiles
    {
        return new KernelFiles($this->directory->path);
    }
}
