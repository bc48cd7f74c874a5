<?php

declare(strict_types=1);

namespace Headroom\Host;

use function array_map;
use function array_shift;
use function array_values;
use function count;
use function dirname;
use function explode;
use function file_get_contents;
use function glob;
use function preg_match_all;
use function readlink;
use function stat;
use function str_ends_with;
use function str_starts_with;
use function strcspn;
use function strlen;
use function substr;

/**
 * Files under the names that a running process has for them: below its root, which a container or chroot(2) gives it, and relative to
 * the directory that it works in. What is here under the same name may be another file.
 *
 * @internal
 */
final readonly class ProcessFiles
{
    /** path_resolution(7): the kernel follows as many. */
    private const MOST_LINKS = 40;

    private const DELETED = ' (deleted)';

    /** @param bool $isElsewhere whether its root is another directory than that of this process */
    private function __construct(private int $pid, private bool $isElsewhere, private string $proc) {}

    /** @return ?self null where this user may not see which files the process sees */
    public static function of(int $pid, string $proc = '/proc'): ?self
    {
        $isElsewhere = self::hasAnotherRoot($pid, $proc);

        return $isElsewhere === null ? null : new self($pid, $isElsewhere, $proc);
    }

    public function isElsewhere(): bool
    {
        return $this->isElsewhere;
    }

    /** @return ?string the path here; null for a relative one where the working directory is gone or not to be seen */
    public function path(string $name): ?string
    {
        if (str_starts_with($name, '/')) {
            return $this->isElsewhere || $this->isMountedOver($name) ? $this->resolved($this->root(), $name) : $name;
        }

        $link = "{$this->proc}/{$this->pid}/cwd";
        $directory = @readlink($link);

        return match (true) {
            $directory === false, str_ends_with($directory, self::DELETED) => null,
            $this->isElsewhere => $this->resolved($link, $name),
            default => $this->path("{$directory}/{$name}"),
        };
    }

    /** @return list<string> paths here, in the order of glob(3); none where the working directory cannot be seen */
    public function matching(string $pattern): array
    {
        // Only the folders before the first wildcard are known by name.
        $fixed = dirname(substr($pattern, 0, strcspn($pattern, '*?[{')).'x');
        $folder = $this->path($fixed);

        if ($folder === null) {
            return [];
        }

        $found = glob($folder.substr($pattern, $fixed === '/' ? 0 : strlen($fixed)), GLOB_MARK);
        $files = $found === false ? [] : array_values(array_filter($found, static fn (string $file): bool => ! str_ends_with($file, '/')));

        return str_starts_with($folder, "{$this->proc}/{$this->pid}/") ? array_map(fn (string $file): string => $this->resolved($folder, substr($file, strlen($folder))), $files) : $files;
    }

    /** The kernel would follow a link to /etc/x from here to the /etc/x of this process. */
    private function resolved(string $from, string $path): string
    {
        $at = $from;
        $left = explode('/', $path);
        $links = 0;

        while ($left !== []) {
            $part = array_shift($left);

            if ($part === '' || $part === '.') {
                continue;
            }

            if ($part === '..') {
                $at = $at === $this->root() ? $at : ($at === $from ? "{$at}/.." : dirname($at));

                continue;
            }

            $target = $links < self::MOST_LINKS ? @readlink("{$at}/{$part}") : false;

            if ($target === false) {
                $at .= "/{$part}";

                continue;
            }

            $links++;
            $at = str_starts_with($target, '/') ? $this->root() : $at;
            $left = [...explode('/', $target), ...$left];
        }

        return $at;
    }

    private function root(): string
    {
        return "{$this->proc}/{$this->pid}/root";
    }

    /** A service of systemd may have mounts of its own below the root of all, as with PrivateTmp. */
    private function isMountedOver(string $path): bool
    {
        $here = @stat($path);
        $there = @stat($this->root().$path);

        return $there !== false && ($here === false || [$here['dev'], $here['ino']] !== [$there['dev'], $there['ino']]);
    }

    private static function hasAnotherRoot(int $pid, string $proc): ?bool
    {
        $here = @stat(dirname($proc));
        $there = @stat("{$proc}/{$pid}/root/");

        if ($here !== false && $there !== false) {
            return [$here['dev'], $here['ino']] !== [$there['dev'], $there['ino']];
        }

        // The kernel shows the root of another user's process to root only, and what is mounted there to all.
        $mine = self::rootMount("{$proc}/self/mountinfo");
        $its = self::rootMount("{$proc}/{$pid}/mountinfo");

        return $mine === null || $its === null ? null : $mine !== $its;
    }

    /** @return ?string device and directory, as proc_pid_mountinfo(5) has them; '' where a chroot(2) hides it, null without the right to read */
    private static function rootMount(string $file): ?string
    {
        $text = @file_get_contents($file);

        return match (true) {
            $text === false => null,
            // The last one lies on top of the others.
            preg_match_all('~^\d+ \d+ (\d+:\d+ \S+) / ~m', $text, $mounts) > 0 => $mounts[1][count($mounts[1]) - 1],
            default => '',
        };
    }
}
