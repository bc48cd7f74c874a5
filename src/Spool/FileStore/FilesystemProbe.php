<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore;

use Headroom\Support\FileOperation;
use Headroom\Support\PhpRestrictions;

/**
 * What the disk under the buffer can do, asked of the disk itself.
 *
 * @internal
 */
final readonly class FilesystemProbe
{
    /** Locks or renames of these are emulated, late or wrong: flock(2), open(2) on O_APPEND. */
    private const NOT_LOCAL = ['nfs', 'nfs4', 'cifs', 'smb3', 'smbfs', '9p', 'afs', 'ceph', 'glusterfs', 'lustre', 'ocfs2', 'gfs2'];

    /**
     * @param string $mountInfo what the kernel says about mounts, in the form of proc(5)
     * @param ?non-empty-list<string> $secondProcess command that locks the file named by its last argument and prints
     *                                               "busy" when it is locked already; PHP itself when null
     */
    public function __construct(private string $path, private string $mountInfo = '/proc/self/mountinfo', private ?array $secondProcess = null) {}

    /** Null where the system does not tell. */
    public function type(): ?string
    {
        return $this->mount()[0];
    }

    /** @return list<string> with which it is mounted */
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

            if (strlen($mount) >= $longest && ($mount === '/' || $path === $mount || str_starts_with($path, "{$mount}/"))) {
                $found = [$fields[$separator + 1], explode(',', "{$fields[5]},".($fields[$separator + 3] ?? ''))];
                $longest = strlen($mount);
            }
        }

        return $found;
    }

    public function isLocal(): bool
    {
        $type = $this->type();

        return $type === null || (! in_array($type, self::NOT_LOCAL, true) && ($type === 'fuseblk' || ! str_starts_with($type, 'fuse')));
    }

    /**
     * Locks a file here and asks another process to lock it, too.
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
            return flock($file, LOCK_EX | LOCK_NB) ? $this->askAnotherProcess($probe) : 'a file could not be locked';
        } finally {
            fclose($file);
            @unlink($probe);
        }
    }

    private function askAnotherProcess(string $probe): ?string
    {
        $script = 'echo flock(fopen($argv[1], "a"), LOCK_EX | LOCK_NB) ? "free" : "busy";';
        $command = $this->secondProcess ?? (PHP_SAPI === 'cli' ? [PHP_BINARY, '-n', '-r', $script, '--'] : null);

        if ($command === null) {
            return null;
        }

        $answer = $this->answerOf([...$command, $probe]);

        return match ($answer) {
            'busy' => null,
            'free' => 'two processes could lock the same file at the same time',
            default => "a second process could not try: {$answer}",
        };
    }

    /** @param non-empty-list<string> $command */
    private function answerOf(array $command): string
    {
        $reason = '';
        $process = FileOperation::run(static function () use ($command, &$pipes) {
            return proc_open($command, [1 => ['pipe', 'w'], 2 => ['null']], $pipes);
        }, $reason);

        if ($process === false) {
            return $reason;
        }

        $answer = is_resource($pipes[1] ?? null) ? trim((string) stream_get_contents($pipes[1])) : '';
        PhpRestrictions::call('proc_close', $process);

        return $answer;
    }
}
