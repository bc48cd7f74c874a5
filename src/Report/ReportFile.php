<?php

declare(strict_types=1);

namespace Headroom\Report;

use Headroom\Support\AtomicFile;
use Headroom\Support\EffectiveUser;
use Headroom\Support\FileOperation;
use RuntimeException;

/**
 * A file that somebody asked for. It is written beside and then put in place: one that can not be written, on a full
 * disk for one, leaves what was there as it was.
 *
 * @internal
 */
final readonly class ReportFile
{
    /** As the kernel has it. */
    private const MOST_LINKS = 40;

    /** @return ?string why it could not be written; null when it was */
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
            // A device, a pipe, or an open file such as /dev/stdout: there is nothing to put in its place,
            // and nothing in it to lose.
            $file === null => file_put_contents($path, $text, FILE_APPEND) === strlen($text),
            // Nothing can be made beside it, as where somebody else's folder has a file for us.
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
