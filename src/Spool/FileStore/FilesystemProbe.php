<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore;

use Headroom\Support\FileOperation;
use Headroom\Support\PhpRestrictions;

/**
 * Finds out what the filesystem under the buffer can do: from the kernel's list of mounts, and by a test of its locks.
 *
 * @internal
 */
final readonly class FilesystemProbe
{
    /** Filesystems whose locks, appends or renames are emulated, late or wrong: flock(2), open(2) on O_APPEND. */
    private const NETWORK_TYPES = [
        'nfs', 'nfs4', 'cifs', 'smb3', 'smbfs', '9p', 'afs', 'ceph', 'glusterfs', 'lustre', 'ocfs2', 'gfs2',
    ];

    /**
     * @param string $mountInfo the kernel's list of mounts, in the format of proc(5)
     * @param ?non-empty-list<string> $secondProcess command that locks the file named by its last argument and prints
     *     "busy" when it is locked already; PHP itself when null
     */
    public function __construct(
        private string $path,
        private string $mountInfo = '/proc/self/mountinfo',
        private ?array $secondProcess = null,
    ) {}

    /** @return ?string type of the filesystem; null where the system does not report it */
    public function type(): ?string
    {
        return $this->mount()[0];
    }

    /** @return list<string> mount options */
    public function options(): array
    {
        return $this->mount()[1];
    }

    /** @return array{?string, list<string>} type and options of the mount that the path lies on */
    private function mount(): array
    {
        $path = $this->path;

        while (! file_exists($path) && $path !== dirname($path)) {
            $path = dirname($path);
        }

        $path = (string) realpath($path);
        [$found, $longest] = [[null, []], -1];

        $lines = PhpRestrictions::call('file', $this->mountInfo, FILE_IGNORE_NEW_LINES);

        foreach (is_array($lines) ? array_filter($lines, is_string(...)) : [] as $line) {
            $fields = explode(' ', $line);
            $separator = array_search('-', $fields, true);

            if ($separator === false || ! isset($fields[4], $fields[5], $fields[$separator + 1])) {
                continue;
            }

            $mount = stripcslashes($fields[4]);

            if (
                strlen($mount) >= $longest
                && ($mount === '/' || $path === $mount || str_starts_with($path, "{$mount}/"))
            ) {
                $found = [$fields[$separator + 1], explode(',', "{$fields[5]},".($fields[$separator + 3] ?? ''))];
                $longest = strlen($mount);
            }
        }

        return $found;
    }

    public function isLocal(): bool
    {
        $type = $this->type();

        return $type === null
            || (! in_array($type, self::NETWORK_TYPES, true)
                && ($type === 'fuseblk' || ! str_starts_with($type, 'fuse')));
    }

    /**
     * Locks a file and lets another process try to lock the same file.
     *
     * @return ?string what went wrong; null when the lock held, or when no process can be started here
     */
    public function lockFailure(): ?string
    {
        if (! function_exists('proc_open')) {
            return null;
        }

        $probe = "{$this->path}/probe.".bin2hex(random_bytes(4));
        $reason = '';
        $file = FileOperation::run(static fn () => fopen($probe, 'ae'), $reason);

        if ($file === false) {
            return "a file could not be created: {$reason}";
        }

        try {
            return flock($file, LOCK_EX | LOCK_NB) ? $this->lockInAnotherProcess($probe) : 'a file could not be locked';
        } finally {
            fclose($file);
            @unlink($probe);
        }
    }

    private function lockInAnotherProcess(string $probe): ?string
    {
        $script = 'echo flock(fopen($argv[1], "a"), LOCK_EX | LOCK_NB) ? "free" : "busy";';
        $command = $this->secondProcess ?? (PHP_SAPI === 'cli' ? [PHP_BINARY, '-n', '-r', $script, '--'] : null);

        if ($command === null) {
            return null;
        }

        $output = $this->outputOf([...$command, $probe]);

        return match ($output) {
            'busy' => null,
            'free' => 'two processes could lock the same file at the same time',
            default => "a second process could not try: {$output}",
        };
    }

    /** @param non-empty-list<string> $command */
    private function outputOf(array $command): string
    {
        $reason = '';
        $process = FileOperation::run(static function () use ($command, &$pipes) {
            return proc_open($command, [1 => ['pipe', 'w'], 2 => ['null']], $pipes);
        }, $reason);

        if ($process === false) {
            return $reason;
        }

        $output = is_resource($pipes[1] ?? null) ? trim((string) stream_get_contents($pipes[1])) : '';
        PhpRestrictions::call('proc_close', $process);

        return $output;
    }
}
