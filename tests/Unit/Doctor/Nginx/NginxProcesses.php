<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Nginx;

use Headroom\Process\Proc;
use Headroom\Process\TemporaryDirectory;

/**
 * A /proc with processes that a test describes, read by the user with the id 1000.
 */
final readonly class NginxProcesses
{
    public const MOUNTS = "1 0 8:1 / / rw\n";

    public TemporaryDirectory $root;

    public function __construct()
    {
        $this->root = TemporaryDirectory::create('nginx-proc');
        mkdir($this->root->file('self'));
        $this->root->write('self/mountinfo', self::MOUNTS);
        mkdir($this->root->file((string) getmypid()));
        $this->root->write(getmypid().'/status', "Name:\tphp\nUid:\t1000\t1000\t1000\t1000\n");
    }

    public function proc(): Proc
    {
        return new Proc($this->root->path);
    }

    public function add(
        int $pid,
        int $parent,
        string $title,
        ?string $exe,
        ?int $files,
        string $name = 'nginx',
        ?string $mounts = self::MOUNTS,
        int $owner = 0,
    ): void {
        mkdir($this->root->file((string) $pid));
        $this->root->write(
            "{$pid}/stat",
            "{$pid} ({$name}) S {$parent} 1 1 0 -1 4194560 1 0 0 0 10 20 0 0 20 0 1 0 4711 1000 10"
                ." 18446744073709551615 0\n",
        );
        $this->root->write("{$pid}/status", "Name:\t{$name}\nUid:\t{$owner}\t{$owner}\t{$owner}\t{$owner}\n");
        // setproctitle() leaves what it does not need of the old arguments empty.
        $this->root->write("{$pid}/cmdline", $title.str_repeat("\0", 20));

        if ($files !== null) {
            $shown = $files === PHP_INT_MAX ? 'unlimited' : (string) $files;
            $this->root->write(
                "{$pid}/limits",
                "Limit                     Soft Limit           Hard Limit           Units     \nMax processes"
                    ."             1                    2                    processes \nMax open files"
                    ."            {$shown}                 1048576              files     \n",
            );
        }

        if ($exe !== null) {
            symlink($exe, $this->root->file("{$pid}/exe"));
        }

        if ($mounts !== null) {
            $this->root->write("{$pid}/mountinfo", $mounts);
        }
    }
}
