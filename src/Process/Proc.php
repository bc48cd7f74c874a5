<?php

declare(strict_types=1);

namespace Headroom\Process;

/**
 * Reads /proc. A process that ends in the meantime is treated as not existing.
 *
 * @internal
 */
final readonly class Proc
{
    /** In the process titles of the masters of PHP-FPM and nginx. */
    private const MASTER = ': master process';

    public function __construct(private string $root = '/proc') {}

    public function stat(int $pid): ?ProcStat
    {
        $line = $this->read("{$pid}/stat");

        return $line === null ? null : ProcStat::fromLine($line);
    }

    /**
     * True if /proc is mounted so that this user cannot see other users' processes (hidepid). Root sees them always.
     */
    public function hidesOthers(): bool
    {
        $mounts = $this->read('self/mountinfo') ?? '';

        return $this->self() !== 0
            && preg_match(
                '~^\d+ \d+ \S+ / /proc \S+ .*- proc \S+ \S*\bhidepid=(?:[124]|noaccess|invisible|ptraceable)\b~m',
                $mounts,
            ) === 1;
    }

    /** A zombie is not alive. */
    public function isAlive(int $pid): bool
    {
        return $this->stat($pid)?->isAlive() ?? false;
    }

    /**
     * Living children, by pid.
     *
     * @return array<int, ProcStat>
     */
    public function children(int $pid): array
    {
        return array_filter(
            $this->all(),
            static fn (ProcStat $stat): bool => $stat->parent === $pid && $stat->isAlive(),
        );
    }

    /**
     * Living children that are workers of a server. A worker changes its process title once it has started.
     *
     * @return list<int> pids
     */
    public function workers(int $pid): array
    {
        return array_values(array_filter(
            array_keys($this->children($pid)),
            fn (int $child): bool => ! $this->isFreshFork($child, $this->commandLine($child)),
        ));
    }

    /**
     * True if the process still has the title of its master: a server's fork has it for a moment before it becomes a
     * worker.
     *
     * @param list<string> $title command line of the process when it was found
     */
    public function isFreshFork(int $pid, array $title): bool
    {
        $stat = $this->stat($pid);

        // A process that is already gone was a short-lived worker. A master that was started by its predecessor also
        // has the same title, but it has workers.
        return $stat === null
            // Under an emulator process titles never change.
            || (str_contains($title[0] ?? '', self::MASTER)
                && $title === $this->commandLine($stat->parent)
                && $this->children($pid) === []);
    }

    /**
     * Living children, grandchildren and so on, by pid.
     *
     * @return array<int, ProcStat>
     */
    public function descendants(int $pid): array
    {
        $all = $this->all();
        $found = [];
        $parents = [$pid => true];

        while ($parents !== []) {
            $next = array_filter(
                $all,
                static fn (ProcStat $stat): bool => isset($parents[$stat->parent]) && ! isset($found[$stat->pid]),
            );
            $found += $next;
            $parents = $next;
        }

        return array_filter($found, static fn (ProcStat $stat): bool => $stat->isAlive());
    }

    /**
     * Living processes whose program has the name. The kernel cuts names to 15 bytes.
     *
     * @return array<int, ProcStat>
     */
    public function named(string $name): array
    {
        return array_filter(
            $this->all(),
            static fn (ProcStat $stat): bool => $stat->name === $name && $stat->isAlive(),
        );
    }

    /** Path of the program. Null if this user may not see it, or if the file was replaced since the process started. */
    public function executable(int $pid): ?string
    {
        $path = $this->link("{$pid}/exe");

        return $path === null || str_ends_with($path, ' (deleted)') ? null : $path;
    }

    /** Working directory; null if this user may not see it. */
    public function workingDirectory(int $pid): ?string
    {
        return $this->link("{$pid}/cwd");
    }

    /** Limit of open files; PHP_INT_MAX if unlimited. */
    public function openFilesLimit(int $pid): ?int
    {
        if (preg_match('/^Max open files\s+(\d+|unlimited)/m', $this->read("{$pid}/limits") ?? '', $m) !== 1) {
            return null;
        }

        return $m[1] === 'unlimited' ? PHP_INT_MAX : (int) $m[1];
    }

    /**
     * True if the process has another root directory than this one, as in a container. Null if this user may not see
     * it.
     */
    public function isElsewhere(int $pid): ?bool
    {
        return $this->files($pid)?->isElsewhere();
    }

    /** Null if this user may not see the files of the process. */
    public function files(int $pid): ?ProcessFiles
    {
        return ProcessFiles::of($pid, $this->root);
    }

    /** True if the process has the same network namespace as this one. Null if this user may not see it. */
    public function sharesNetwork(int $pid): ?bool
    {
        $own = $this->link('self/ns/net');
        $its = $this->link("{$pid}/ns/net");

        return $own === null || $its === null ? null : $own === $its;
    }

    /** User id of the process. Null if its real and effective user differ, as in a setuid program. */
    public function owner(int $pid): ?int
    {
        return preg_match('/^Uid:\s+(\d+)\s+\1\s+\1\s+\1\s*$/m', $this->read("{$pid}/status") ?? '', $m) === 1
            ? (int) $m[1]
            : null;
    }

    /**
     * True for processes of root and of this user. Other users' processes are not trusted, because any process can take
     * any name.
     */
    public function isOurs(int $pid): bool
    {
        $owner = $this->owner($pid);

        return $owner !== null && ($owner === 0 || $owner === $this->self());
    }

    /**
     * True if this process may run the program of the other one. Root runs only a program that no other user can change
     * or replace.
     *
     * @param string $binary path of that program, as executable() returns it
     */
    public function mayRun(int $pid, string $binary): bool
    {
        return $this->isOurs($pid) && ($this->self() !== 0 || RootOwnedPath::weakness($binary) === null);
    }

    private function self(): ?int
    {
        return $this->owner((int) getmypid()) ?? (function_exists('posix_geteuid') ? posix_geteuid() : null);
    }

    /** The control group that systemd made for the process, such as /system.slice/nginx.service. */
    public function controlGroup(int $pid): ?string
    {
        $lines = $this->read("{$pid}/cgroup") ?? '';

        // Version 1 has a hierarchy for systemd; the version 2 entry may be empty then.
        $isFirst = preg_match('/^\d+:name=systemd:(\/.+)$/m', $lines, $m) === 1;

        return $isFirst || preg_match('/^0::(\/.+)$/m', $lines, $m) === 1 ? $m[1] : null;
    }

    /** @return list<int> pids of the living processes in the control group */
    public function inControlGroup(string $group): array
    {
        return array_values(
            array_filter(
                array_keys($this->all()),
                fn (int $pid): bool => $this->controlGroup($pid) === $group && $this->isAlive($pid),
            ),
        );
    }

    /** True if the machine of these processes has the file. */
    public function hasOnMachine(string $path): bool
    {
        return file_exists(rtrim(dirname($this->root), '/').$path);
    }

    /** @return list<string> */
    public function commandLine(int $pid): array
    {
        $line = rtrim($this->read("{$pid}/cmdline") ?? '', "\0");

        return $line === '' ? [] : explode("\0", $line);
    }

    /** @return array<int, ProcStat> */
    private function all(): array
    {
        $all = [];

        $entries = scandir($this->root);

        foreach ($entries === false ? [] : $entries as $entry) {
            if (ctype_digit($entry) && ($stat = $this->stat((int) $entry)) !== null) {
                $all[$stat->pid] = $stat;
            }
        }

        return $all;
    }

    private function link(string $file): ?string
    {
        // For a process of another user, the kernel denies readlink().
        $target = @readlink("{$this->root}/{$file}");

        return $target === false ? null : $target;
    }

    private function read(string $file): ?string
    {
        // No warning: the process may have ended since it was listed.
        $text = @file_get_contents("{$this->root}/{$file}");

        return $text === false ? null : $text;
    }
}
