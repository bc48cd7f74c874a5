<?php

declare(strict_types=1);

namespace Headroom\Support;

/**
 * A file that is there whole or not at all, and that never is another one: neither a link nor a file that another process put in its
 * place beforehand is written through.
 *
 * @internal
 */
final readonly class AtomicFile
{
    /**
     * @param int $mode permission bits; umask(2) has no say, and without threads no chmod() by name follows
     * @return resource|false false where something of that name is there; PHP warns then, as for any other reason
     */
    public static function open(string $path, int $mode)
    {
        // The umask belongs to the process, so with threads it is not ours to change.
        $umask = PHP_ZTS === 1 ? null : umask(~$mode & 0o777);

        try {
            // O_CREAT and O_EXCL: open(2) follows no link then.
            $file = fopen($path, 'xe');
        } finally {
            $umask === null ? null : umask($umask);
        }

        return $file !== false && $umask === null && ! chmod($path, $mode) ? false : $file;
    }

    /** @param bool $syncs whether it has to be on disk */
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
     * Readers see all of it, or what was there before.
     *
     * @param string $ending of its temporary name, which has 64 random bits
     */
    public static function replace(string $path, string $text, int $mode, bool $syncs = false, string $ending = 'new'): bool
    {
        $new = "{$path}.".bin2hex(random_bytes(8)).".{$ending}";
        $isThere = false;

        try {
            return $isThere = self::make($new, $text, $mode, $syncs) && rename($new, $path);
        } finally {
            // Also when a signal breaks it off.
            $isThere || @unlink($new);
        }
    }
}
