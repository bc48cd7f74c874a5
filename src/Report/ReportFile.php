<?php

declare(strict_types=1);

namespace Headroom\Report;

use Headroom\Core\Attempt;

/**
 * A file that somebody asked for. It is written beside and then put in place: one that can not be written, on a full disk for one, leaves
 * what was there as it was.
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
        $file = self::regular($path);
        $reason = '';
        $isWritten = match (true) {
            // A device, a pipe, or an open file such as /dev/stdout: there is nothing to put in its place, and nothing in it to lose.
            $file === null => Attempt::run(static fn (): bool => file_put_contents($path, $text, FILE_APPEND) === strlen($text), $reason),
            // Nothing can be made beside it, as where somebody else's folder has a file for us.
            is_file($file) && ! is_writable(dirname($file)) => Attempt::run(static fn (): bool => file_put_contents($file, $text) === strlen($text), $reason),
            default => Attempt::run(static fn (): bool => self::replace($file, $text), $reason),
        };

        return $isWritten ? null : $reason;
    }

    private static function replace(string $file, string $text): bool
    {
        $new = "{$file}.".bin2hex(random_bytes(4)).'.new';
        $mode = is_file($file) ? (int) fileperms($file) & 0o777 : 0o666 & ~umask();
        $isThere = false;

        try {
            return $isThere = file_put_contents($new, $text) === strlen($text) && chmod($new, $mode) && rename($new, $file);
        } finally {
            // Also when a signal breaks it off.
            $isThere || ! is_file($new) || unlink($new);
        }
    }

    /** @return ?string where links lead to; null when that is there and is no file, or lies among the open ones of a process */
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

            $target = (string) readlink($path);
            $path = str_starts_with($target, '/') ? $target : "{$folder}/{$target}";
        }

        return null;
    }
}
