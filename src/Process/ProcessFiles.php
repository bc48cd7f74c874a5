<?php

declare(strict_types=1);

namespace Headroom\Process;

use Headroom\Support\FileOperation;
use Symfony\Component\Process\Exception\ExceptionInterface;
use Symfony\Component\Process\Process;

/**
 * Resolves paths as another process sees them: below its root, which a container or chroot(2) sets, and relative to its
 * working directory. For this process the same path may lead to another file.
 *
 * @internal
 */
final readonly class ProcessFiles
{
    /** The limit of the kernel: path_resolution(7). */
    private const MAX_LINKS = 40;

    /** Timeout for reading a file, because a mount may hang. */
    private const SECONDS = 5;

    private const DELETED = ' (deleted)';

    /** @param bool $isElsewhere true if the process has another root directory than this one */
    private function __construct(private int $pid, private bool $isElsewhere, private string $proc) {}

    /**
     * @param string $path as path() and matching() return it
     *
     * @param-out string $reason
     *
     * @return string|false false with a reason
     */
    public static function contents(string $path, ?string &$reason = null): string|false
    {
        if (preg_match('~\A/proc/\d+/(?:root|cwd)/~', $path) !== 1) {
            return FileOperation::run(static fn (): string|false => file_get_contents($path), $reason);
        }

        // PHP resolves the link by its text, so "/" of a container would become "/" of this process. cat(1) lets the
        // kernel follow it.
        $process = new Process(['cat', '--', $path], null, ['LC_ALL' => 'C'], null, self::SECONDS);

        try {
            $code = SignalMaskedCommand::run($process);
        } catch (ExceptionInterface $e) {
            $reason = $e->getMessage();

            return false;
        }

        $reason = trim((string) preg_replace('~\Acat: .*: ~', '', $process->getErrorOutput()));

        return $code === 0 ? $process->getOutput() : false;
    }

    /** @return ?self null if this user may not see the files of the process */
    public static function of(int $pid, string $proc = '/proc'): ?self
    {
        $isElsewhere = self::hasAnotherRoot($pid, $proc);

        return $isElsewhere === null ? null : new self($pid, $isElsewhere, $proc);
    }

    public function isElsewhere(): bool
    {
        return $this->isElsewhere;
    }

    /**
     * True if everything below the directory is the same for both processes. A systemd service may have mounts of its
     * own, with PrivateTmp or BindPaths for example.
     */
    public function agreeBelow(string $directory): bool
    {
        $mine = MountTable::read("{$this->proc}/self/mountinfo");
        $its = MountTable::read("{$this->proc}/{$this->pid}/mountinfo");

        if ($this->isElsewhere || $mine === null || $its === null) {
            return false;
        }

        $real = realpath($directory);

        return $mine->agreesBelow($directory, $its) && ($real === false || $mine->agreesBelow($real, $its));
    }

    /** @return ?string path for this process; null if it is not visible, or relative to a directory that is not */
    public function path(string $name): ?string
    {
        if (str_starts_with($name, '/')) {
            return match (true) {
                $this->isElsewhere => $this->resolved($this->root(), $name),
                $this->isRootSeen() => $this->isAnother($name, $name) ? $this->resolved($this->root(), $name) : $name,
                default => $this->agreeBelow($name) ? $name : null,
            };
        }

        $link = "{$this->proc}/{$this->pid}/cwd";
        $directory = @readlink($link);

        return match (true) {
            // A directory "(unreachable)/x" is outside the root of this process.
            $directory === false, str_ends_with($directory, self::DELETED), ! str_starts_with($directory, '/') => null,
            $this->isElsewhere,
            $this->isRootSeen() && $this->isAnother($link, $directory) => $this->resolved($link, $name),
            default => $this->path("{$directory}/{$name}"),
        };
    }

    /** @return ?list<string> paths for this process, in the order of glob(3); null if they are not visible */
    public function matching(string $pattern): ?array
    {
        // Only the directories before the first wildcard have known names.
        $fixed = dirname(substr($pattern, 0, strcspn($pattern, '*?[{')).'x');
        $folder = $this->path($fixed);

        if ($folder !== null && ! $this->isBelow($folder) && ! $this->agreeBelow($folder)) {
            $folder = $this->isRootSeen() ? $this->resolved($this->root(), $folder) : null;
        }

        if ($folder === null) {
            return null;
        }

        $found = glob($folder.substr($pattern, $fixed === '/' ? 0 : strlen($fixed)), GLOB_MARK);
        $paths = [];

        foreach ($found === false ? [] : $found as $file) {
            if (! str_ends_with($file, '/')) {
                $paths[] = $this->isBelow($folder)
                    ? $this->resolved($folder, substr($file, strlen($folder)))
                    : $this->path($file);
            }
        }

        return in_array(null, $paths, true) ? null : $paths;
    }

    private function isBelow(string $path): bool
    {
        return str_starts_with($path, "{$this->proc}/{$this->pid}/");
    }

    /** Follows links in PHP: from here the kernel would resolve an absolute link with the root of this process. */
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

            $target = $links < self::MAX_LINKS ? @readlink("{$at}/{$part}") : false;

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

    private function isRootSeen(): bool
    {
        return @stat("{$this->root()}/") !== false;
    }

    /**
     * True if the path of this process and the name in the other one lead to different files. A link may have another
     * target there.
     */
    private function isAnother(string $path, string $name): bool
    {
        $here = @stat($path);
        $there = @stat($this->resolved($this->root(), $name));

        return [$here['dev'] ?? null, $here['ino'] ?? null] !== [$there['dev'] ?? null, $there['ino'] ?? null];
    }

    private static function hasAnotherRoot(int $pid, string $proc): ?bool
    {
        $here = @stat(dirname($proc));
        $there = @stat("{$proc}/{$pid}/root/");

        if ($here !== false && $there !== false) {
            return [$here['dev'], $here['ino']] !== [$there['dev'], $there['ino']];
        }

        // The kernel shows the root of another user's process only to root, but shows its mounts to every user.
        $mine = self::rootMount("{$proc}/self/mountinfo");
        $its = self::rootMount("{$proc}/{$pid}/mountinfo");

        return $mine === null || $its === null ? null : $mine !== $its;
    }

    /** @return ?string device and directory from proc_pid_mountinfo(5); '' in a chroot(2), null without permission */
    private static function rootMount(string $file): ?string
    {
        $text = @file_get_contents($file);

        return match (true) {
            $text === false => null,
            // A later mount covers an earlier one.
            preg_match_all('~^\d+ \d+ (\d+:\d+ \S+) / ~m', $text, $mounts) > 0 => $mounts[1][count($mounts[1]) - 1],
            default => '',
        };
    }
}
