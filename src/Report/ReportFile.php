<?php

declare(strict_types=1);

namespace Headroom\Report;

use Headroom\Support\AtomicFile;
use Headroom\Support\EffectiveUser;
use Headroom\Support\FileOperation;
use RuntimeException;

/**
 * A file that an option names. It is written to a temporary file and renamed, so a failed write, such as on a full
 * disk, keeps the old file.
 *
 * @internal
 */
final readonly class ReportFile
{
    /** The limit of the Linux kernel. */
    private const MOST_LINKS = 40;

    /** @return ?string the reason of a failed write; null after a successful one */
    public static function write(string $path, string $text): ?string
    {
        try {
            $file = self::regular($path);
        } catch (RuntimeException $e) {
            return $e->getMessage();
        }

        $reason = '';
        // The owner of the folder may have put a link there for root to follow.
        $write = static fn (): bool => match (true) {
            // A device, a pipe, or an open file such as /dev/stdout cannot be replaced and has no old content.
            $file === null => file_put_contents($path, $text, FILE_APPEND) === strlen($text),
            // The directory belongs to another user, so no temporary file can be made in it.
            is_file($file) && ! is_writable(dirname($file)) => file_put_contents($file, $text) === strlen($text),
            default => AtomicFile::replace(
                $file,
                $text,
                is_file($file) ? (int) fileperms($file) & 0o777 : 0o666 & ~umask(),
            ),
        };

        return FileOperation::run(static fn (): bool => EffectiveUser::in(dirname($path))->during($write), $reason)
            ? null
            : $reason;
    }

    /**
     * @return ?string where links lead to; null when that is there and is no file,
     *     or lies among the open ones of a process
     */
    private static function regular(string $path): ?string
    {
        for ($links = 0; $links <= self::MOST_LINKS; $links++) {
            $folder = realpath(dirname($path));

            if ($folder === false || str_starts_with("{$folder}/", '/proc/')) {
                break;
            }

            $path = rtrim($folder, '/').'/'.basename($path);

            if (! is_link($path)) {
                return is_file($path) || ! file_exists($path) ? $path : null;
            }

            // As fs.protected_symlinks has it for what opens a link: in /tmp any user may have made it.
            $owner = lstat($path)['uid'] ?? 0;
            $owner === 0
                || $owner === self::user()
                || $owner === fileowner($folder)
                || throw new RuntimeException("{$path} is a link that another user has made");
            $target = (string) readlink($path);
            $path = str_starts_with($target, '/') ? $target : "{$folder}/{$target}";
        }

        return null;
    }

    private static function user(): int
    {
        return function_exists('posix_geteuid') ? posix_geteuid() : (int) getmyuid();
    }
}
