<?php

declare(strict_types=1);

namespace Headroom\Process;

/**
 * What the kernel tells about processes. A process that ends while it is looked at is simply not there.
 *
 * @internal
 */
final readonly class Proc
{
    /** In the titles of PHP-FPM's and of nginx's. */
    private const MASTER = ': master process';

    public function __construct(private string $root = '/proc') {}

    public function stat(int $pid): ?ProcStat
    {
        $line = $this->read("{$pid}/stat");

        return $line === null ? null : ProcStat::fromLine($line);
    }

    /** Whether it is mounted such that a user sees no processes of others: hidepid, which root does not mind. */
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
        return array_filter($this->all(), static fn (ProcStat $stat): bool => $stat->parent === $pid && $stat->isAlive());
    }

    /**
     * Living children that are servers' workers, which take a title of their own when they have set themselves up.
     *
     * @return list<int> pids
     */
    public function workers(int $pid): array
    {
        return array_values(array_filter(array_keys($this->children($pid)), fn (int $child): bool => ! $this->isFreshFork($child, $this->commandLine($child))));
    }

    /**
     * Whether it looked as its parent: what a server forks has the title of its master for a moment, and is none.
     *
     * @param list<string> $title its command line, as it was when it was taken for a master
     */
    public function isFreshFork(int $pid, array $title): bool
    {
        $stat = $this->stat($pid);

        // One that is gone again was a worker that did little; a master that its predecessor started looks as that, too, but has workers.
        return $stat === null
            // Under an emulator no title ever changes.
            || (str_contains($title[0] ?? '', self::MASTER) && $title === $this->commandLine($stat->parent) && $this->children($pid) === []);
    }

    /**
     * Living children, their children, and so on, by pid.
     *
     * @return array<int, ProcStat>
     */
    public function descendants(int $pid): array
    {
        $all = $this->all();
        $found = [];
        $parents = [$pid => true];

        while ($parents !== []) {
            $next = array_filter($all, static fn (ProcStat $stat): bool => isset($parents[$stat->parent]) && ! isset($found[$stat->pid]));
            $found += $next;
            $parents = $next;
        }

        return array_filter($found, static fn (ProcStat $stat): bool => $stat->isAlive());
    }

    /**
     * Living processes whose program has that name, as the kernel cuts it: 15 bytes.
     *
     * @return array<int, ProcStat>
     */
    public function named(string $name): array
    {
        return array_filter($this->all(), static fn (ProcStat $stat): bool => $stat->name === $name && $stat->isAlive());
    }

    /** The program's path; null to who may not see it, or when it was replaced by another since. */
    public function executable(int $pid): ?string
    {
        $path = $this->link("{$pid}/exe");

        return $path === null || str_ends_with($path, ' (deleted)') ? null : $path;
    }

    /** Where it is at work; null to who may not see it. */
    public function workingDirectory(int $pid): ?string
    {
        return $this->link("{$pid}/cwd");
    }

    /** How many descriptors it may have; PHP_INT_MAX for no limit. */
    public function openFilesLimit(int $pid): ?int
    {
        if (preg_match('/^Max open files\s+(\d+|unlimited)/m', $this->read("{$pid}/limits") ?? '', $m) !== 1) {
            return null;
        }

        return $m[1] === 'unlimited' ? PHP_INT_MAX : (int) $m[1];
    }

    /** Whether it has another root than this process, as in a container; null to who may not see that. */
    public function isElsewhere(int $pid): ?bool
    {
        return $this->files($pid)?->isElsewhere();
    }

    /** Null to who may not see which files it sees. */
    public function files(int $pid): ?ProcessFiles
    {
        return ProcessFiles::of($pid, $this->root);
    }

    /** Whether the ports that it sees are those that this process sees; null to who may not see that. */
    public function sharesNetwork(int $pid): ?bool
    {
        $own = $this->link('self/ns/net');
        $its = $this->link("{$pid}/ns/net");

        return $own === null || $its === null ? null : $own === $its;
    }

    /** The user id, when it is one: of who runs with another's rights, as a setuid program does, there is none. */
    public function owner(int $pid): ?int
    {
        return preg_match('/^Uid:\s+(\d+)\s+\1\s+\1\s+\1\s*$/m', $this->read("{$pid}/status") ?? '', $m) === 1 ? (int) $m[1] : null;
    }

    /** Whether it is root's or our own: anybody may give a process any name. */
    public function isOurs(int $pid): bool
    {
        $owner = $this->owner($pid);

        return $owner !== null && ($owner === 0 || $owner === $this->self());
    }

    /**
     * Whether this process may run a program because that one does: for root only what nobody else can change, or put another in
     * the place of.
     *
     * @param string $binary of that process, as executable() tells it
     */
    public function mayRun(int $pid, string $binary): bool
    {
        return $this->isOurs($pid) && ($this->self() !== 0 || RootOwnedPath::weakness($binary) === null);
    }

    private function self(): ?int
    {
        return $this->owner((int) getmypid()) ?? (function_exists('posix_geteuid') ? posix_geteuid() : null);
    }

    /** Where it stands among the control groups that systemd makes, such as /system.slice/nginx.service. */
    public function controlGroup(int $pid): ?string
    {
        $lines = $this->read("{$pid}/cgroup") ?? '';

        // The first version has a hierarchy for systemd alone, beside which the one of the second may be empty.
        $isFirst = preg_match('/^\d+:name=systemd:(\/.+)$/m', $lines, $m) === 1;

        return $isFirst || preg_match('/^0::(\/.+)$/m', $lines, $m) === 1 ? $m[1] : null;
    }

    /** @return list<int> living processes, by the control group they stand in */
    public function inControlGroup(string $group): array
    {
        return array_values(
            array_filter(
                array_keys($this->all()),
                fn (int $pid): bool => $this->controlGroup($pid) === $group && $this->isAlive($pid),
            ),
        );
    }

    /** Whether the machine whose processes these are has such a file. */
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
        // Of other users' processes the kernel refuses it.
        $target = @readlink("{$this->root}/{$file}");

        return $target === false ? null : $target;
    }

    private function read(string $file): ?string
    {
        // The process may be gone between the look and the read: no warning is wanted for that.
        $text = @file_get_contents("{$this->root}/{$file}");

        return $text === false ? null : $text;
    }
}
