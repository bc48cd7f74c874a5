<?php

declare(strict_types=1);

namespace Headroom\Host;

/**
 * What the kernel tells about processes. A process that ends while it is looked at is simply not there.
 *
 * @internal
 */
final readonly class Proc
{
    public function __construct(private string $root = '/proc') {}

    public function stat(int $pid): ?ProcStat
    {
        $line = $this->read("{$pid}/stat");

        return $line === null ? null : ProcStat::fromLine($line);
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

    /** The effective user id. */
    public function owner(int $pid): ?int
    {
        return preg_match('/^Uid:\s+\d+\s+(\d+)/m', $this->read("{$pid}/status") ?? '', $m) === 1 ? (int) $m[1] : null;
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

    private function read(string $file): ?string
    {
        // The process may be gone between the look and the read: no warning is wanted for that.
        $text = @file_get_contents("{$this->root}/{$file}");

        return $text === false ? null : $text;
    }
}
