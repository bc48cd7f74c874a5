<?php

declare(strict_types=1);

namespace Headroom\Support;

/**
 * Opens what lies under a name itself, if it is a regular file: no link is followed to a file somewhere else, and no
 * pipe, socket or device makes the process wait. A user that may write to a shared directory can put any of these there.
 *
 * @internal
 */
final readonly class RegularFile
{
    private const TYPE = 0170000;

    private const REGULAR = 0100000;

    private const KINDS = [0120000 => 'a symbolic link', 0010000 => 'a named pipe', 0140000 => 'a socket', 0040000 => 'a directory'];

    /**
     * @param string $mode of fopen()
     * @param ?int $permissions of one that this makes; null: what umask(2) leaves
     *
     * @param-out string $reason
     *
     * @return resource|false
     */
    public static function open(string $path, string $mode, string &$reason = '', ?int $permissions = null)
    {
        $expected = self::look($path);

        // Before it is opened, since that alone can rewind a tape or start a watchdog.
        if ($expected !== null && ! self::isRegular($expected)) {
            $reason = 'it is '.self::name($expected);

            return false;
        }

        // The umask belongs to the process, so with threads it is not ours to change.
        $umask = $permissions === null || PHP_ZTS === 1 ? null : umask(~$permissions & 0777);
        // 'n': a pipe that took the file's place since then must not block.
        $file = FileOperation::run(static fn () => fopen($path, "{$mode}n"), $reason);

        if ($umask !== null) {
            umask($umask);
        }

        if ($file === false) {
            return false;
        }

        $stat = fstat($file);
        $isNew = $expected === null;
        $expected ??= self::look($path);

        if ($stat !== false && $expected !== null && self::isRegular($stat) && $stat['ino'] === $expected['ino'] && $stat['dev'] === $expected['dev']) {
            if ($permissions !== null && PHP_ZTS === 1 && $isNew) {
                @chmod($path, $permissions);
            }

            return $file;
        }

        fclose($file);
        $reason = 'it was replaced while it was opened';

        return false;
    }

    /**
     * Its first bytes and no more, however large another user made the file.
     *
     * @param int<1, max> $most bytes
     *
     * @param-out string $reason
     */
    public static function read(string $path, int $most, string &$reason = ''): string|false
    {
        $file = self::open($path, 're', $reason);

        if ($file === false) {
            return false;
        }

        // PHP makes room for as many bytes as are asked for.
        $bytes = min($most, fstat($file)['size'] ?? 0);
        $content = $bytes === 0 ? '' : FileOperation::run(static fn (): string|false => stream_get_contents($file, $bytes), $reason);
        fclose($file);

        return $content;
    }

    /** Also a link that leads nowhere is there. */
    public static function isThere(string $path): bool
    {
        return self::look($path) !== null;
    }

    /** Of a regular file; that of a link's target tells nothing about this name. */
    public static function inode(string $path): ?int
    {
        $stat = self::look($path);

        return $stat !== null && self::isRegular($stat) ? $stat['ino'] : null;
    }

    /** "a symbolic link"; null where a regular file lies, or nothing. */
    public static function strangeness(string $path): ?string
    {
        $stat = self::look($path);

        return $stat === null || self::isRegular($stat) ? null : self::name($stat);
    }

    /** @return ?array{ino: int, dev: int, mode: int} */
    private static function look(string $path): ?array
    {
        clearstatcache();
        $stat = @lstat($path);

        return $stat === false ? null : ['ino' => $stat['ino'], 'dev' => $stat['dev'], 'mode' => $stat['mode']];
    }

    /** @param array{mode: int, ...} $stat */
    private static function isRegular(array $stat): bool
    {
        return ($stat['mode'] & self::TYPE) === self::REGULAR;
    }

    /** @param array{mode: int, ...} $stat */
    private static function name(array $stat): string
    {
        return self::KINDS[$stat['mode'] & self::TYPE] ?? 'a device';
    }
}
