<?php

declare(strict_types=1);

namespace Headroom\Support;

/**
 * Creates files that exist completely or not at all. It never writes through a link or a file that another process has
 * put at the path.
 *
 * @internal
 */
final readonly class AtomicFile
{
    /**
     * @param int $mode permission bits, regardless of the umask; a PHP without threads needs no chmod() by name for
     *     them
     * @return resource|false false, with a PHP warning, if the path exists or cannot be created
     */
    public static function open(string $path, int $mode)
    {
        // The umask belongs to the whole process, so in a threaded PHP it must not be changed.
        $umask = PHP_ZTS === 1 ? null : umask(~$mode & 0o777);

        try {
            // 'x' is O_CREAT with O_EXCL, with which open(2) follows no link.
            $file = fopen($path, 'xe');
        } finally {
            $umask === null ? null : umask($umask);
        }

        return $file !== false && $umask === null && ! chmod($path, $mode) ? false : $file;
    }

    /** @param bool $syncs returns only when the file is on disk */
    public static function make(string $path, string $text, int $mode, bool $syncs = false): bool
    {
        $file = self::open($path, $mode);

        if ($file === false) {
            return false;
        }

        $isWhole = fwrite($file, $text) === strlen($text) && (! $syncs || fsync($file));

        return fclose($file) && $isWhole;
    }

    /**
     * Readers see the old content or the new content, never a part.
     *
     * @param string $ending suffix of the temporary name, which has 64 random bits
     */
    public static function replace(
        string $path,
        string $text,
        int $mode,
        bool $syncs = false,
        string $ending = 'new',
    ): bool {
        $new = "{$path}.".bin2hex(random_bytes(8)).".{$ending}";
        $isThere = false;

        try {
            return $isThere = self::make($new, $text, $mode, $syncs) && rename($new, $path);
        } finally {
            // In a finally block, because a signal handler may throw.
            $isThere || @unlink($new);
        }
    }
}
