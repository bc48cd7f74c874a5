<?php

declare(strict_types=1);

namespace Headroom\Spool\File;

use Symfony\Component\Process\PhpExecutableFinder;
use Symfony\Component\Process\Process;
use Throwable;

/**
 * What the disk under the buffer can do, asked of the disk itself.
 *
 * @internal
 */
final readonly class Filesystem
{
    /** Locks or renames of these are emulated, late or wrong: flock(2), open(2) on O_APPEND. */
    private const NOT_LOCAL = ['nfs', 'nfs4', 'cifs', 'smb3', 'smbfs', '9p', 'afs', 'ceph', 'glusterfs', 'lustre', 'ocfs2', 'gfs2'];

    public function __construct(private string $path) {}

    /** From /proc/self/mountinfo (proc(5)); null where there is none. */
    public function type(): ?string
    {
        $path = $this->path;

        while (! file_exists($path) && $path !== dirname($path)) {
            $path = dirname($path);
        }

        $path = (string) realpath($path);
        [$type, $longest] = [null, -1];

        foreach (@file('/proc/self/mountinfo') ?: [] as $line) {
            $fields = explode(' ', $line);
            $separator = array_search('-', $fields, true);

            if ($separator === false || ! isset($fields[4], $fields[$separator + 1])) {
                continue;
            }

            $mount = stripcslashes($fields[4]);

            if (strlen($mount) >= $longest && ($mount === '/' || $path === $mount || str_starts_with($path, "{$mount}/"))) {
                [$type, $longest] = [$fields[$separator + 1], strlen($mount)];
            }
        }

        return $type;
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
        $file = @fopen($probe, 'ae');

        if ($file === false) {
            return 'a file could not be created: '.LastError::message();
        }

        try {
            return flock($file, LOCK_EX | LOCK_NB) ? $this->askAnotherProcess($probe) : 'a file could not be locked';
        } catch (Throwable $e) {
            return "a second process could not be started: {$e->getMessage()}";
        } finally {
            fclose($file);
            @unlink($probe);
        }
    }

    private function askAnotherProcess(string $probe): ?string
    {
        $php = (new PhpExecutableFinder)->find(false);

        if ($php === false) {
            return null;
        }

        $script = 'exit(flock(fopen($argv[1], "a"), LOCK_EX | LOCK_NB) ? 1 : 0);';
        $process = new Process([$php, '-n', '-r', $script, '--', $probe], timeout: 10);

        return $process->run() === 0 ? null : 'two processes could lock the same file at the same time';
    }
}
