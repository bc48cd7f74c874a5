<?php

declare(strict_types=1);

namespace Headroom\Support;

/**
 * Opens a path only if it is a regular file. It follows no link to another file and waits for no pipe, socket or
 * device. A user that may write to a shared directory can put any of these there.
 *
 * @internal
 */
final readonly class RegularFile
{
    private const TYPE = 0170000;

    private const REGULAR = 0100000;

    private const KINDS = [
        0120000 => 'a symbolic link',
        0010000 => 'a named pipe',
        0140000 => 'a socket',
        0040000 => 'a directory',
    ];

    /**
     * @param string $mode mode of fopen()
     * @param ?int $permissions permission bits of a new file; null applies the umask
     *
     * @param-out string $reason
     *
     * @return resource|false
     */
    public static function open(string $path, string $mode, string &$reason = '', ?int $permissions = null)
    {
        $expected = self::lstat($path);

        // Check before opening, because opening a device can rewind a tape or start a watchdog.
        if ($expected !== null && ! self::isRegular($expected)) {
            $reason = 'it is '.self::name($expected);

            return false;
        }

        // The umask belongs to the whole process, so in a threaded PHP it must not be changed.
        $umask = $permissions === null || PHP_ZTS === 1 ? null : umask(~$permissions & 0777);
        // 'n' (O_NONBLOCK): a pipe that has replaced the file since then must not block.
        $file = FileOperation::run(static fn () => fopen($path, "{$mode}n"), $reason);

        if ($umask !== null) {
            umask($umask);
        }

        if ($file === false) {
            return false;
        }

        $stat = fstat($file);
        $isNew = $expected === null;
        $expected ??= self::lstat($path);

        if (
            $stat !== false
            && $expected !== null
            && self::isRegular($stat)
            && $stat['ino'] === $expected['ino']
            && $stat['dev'] === $expected['dev']
        ) {
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
     * Reads at most the given number of bytes, however large another user has made the file.
     *
     * @param int<1, max> $maxBytes bytes
     *
     * @param-out string $reason
     */
    public static function read(string $path, int $maxBytes, string &$reason = ''): string|false
    {
        $file = self::open($path, 're', $reason);

        if ($file === false) {
            return false;
        }

        // PHP allocates as many bytes as the call requests.
        $bytes = min($maxBytes, fstat($file)['size'] ?? 0);
        $content = $bytes === 0 ? '' : @stream_get_contents($file, $bytes);

        if ($content === false) {
            $reason = FileOperation::reason(static fn (): string|false => stream_get_contents($file, $bytes));
        }

        fclose($file);

        return $content;
    }

    /** True also for a link whose target does not exist. */
    public static function exists(string $path): bool
    {
        return self::lstat($path) !== null;
    }

    /** Inode of a regular file. For a link it returns null: the inode of the target belongs to another name. */
    public static function inode(string $path): ?int
    {
        $stat = self::lstat($path);

        return $stat !== null && self::isRegular($stat) ? $stat['ino'] : null;
    }

    /** @return ?string such as "a symbolic link"; null if the path is a regular file or does not exist */
    public static function irregularKind(string $path): ?string
    {
        $stat = self::lstat($path);

        return $stat === null || self::isRegular($stat) ? null : self::name($stat);
    }

    /** @return ?array{ino: int, dev: int, mode: int} */
    private static function lstat(string $path): ?array
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
