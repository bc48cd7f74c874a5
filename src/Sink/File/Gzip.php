<?php

declare(strict_types=1);

namespace Headroom\Sink\File;

use Headroom\Support\AtomicFile;
use Headroom\Support\FileOperation;
use Headroom\Support\PhpRestrictions;

/**
 * Compresses a file piece by piece. The original is deleted only when the compressed file is complete and on disk, so a
 * kill, a power cut or a full disk leaves at least one of them.
 *
 * @internal
 */
final readonly class Gzip
{
    private const PIECE = 262_144;

    /** Suffix of an unfinished file. Readers of the compressed files do not match it. */
    public const UNFINISHED = '.tmp';

    /** @return bool false if it failed: then the file is unchanged */
    public static function compress(string $path): bool
    {
        $from = FileOperation::run(static fn () => fopen($path, 're'));

        if ($from === false) {
            return false;
        }

        try {
            // Another process may be compressing the file, or may have finished and deleted it.
            if (! flock($from, LOCK_EX | LOCK_NB) || ! Inode::isAt($from, $path)) {
                return false;
            }

            $unfinished = "{$path}.gz".self::UNFINISHED;
            $isWhole = FileOperation::run(static fn (): bool => self::copy(
                $from,
                $unfinished,
            ) && rename($unfinished, "{$path}.gz") && Inode::syncDirectory($path));

            if (! $isWhole) {
                FileOperation::run(static fn (): bool => unlink($unfinished));

                return false;
            }

            return FileOperation::run(static fn (): bool => unlink($path));
        } finally {
            fclose($from);
        }
    }

    /** @param resource $from */
    private static function copy($from, string $path): bool
    {
        // Remove the remains of a killed process, or a link that another user may have put there.
        @unlink($path);
        $deflate = deflate_init(ZLIB_ENCODING_GZIP);
        $stat = fstat($from);
        // The mode is set when the file is created: a chmod() by name could reach a file that another user has put
        // there since.
        $to = $stat === false ? false : AtomicFile::open($path, $stat['mode'] & 0777);

        if ($to === false || $deflate === false) {
            return false;
        }

        try {
            do {
                $piece = fread($from, self::PIECE);
                $isLast = $piece === '' || feof($from);
                $packed = $piece === false
                    ? false
                    : deflate_add($deflate, $piece, $isLast ? ZLIB_FINISH : ZLIB_NO_FLUSH);

                if ($packed === false || fwrite($to, $packed) !== strlen($packed)) {
                    return false;
                }
            } while (! $isLast);

            // A host may disable touch(); then the compressed file has the time of its compression.
            return ftell($from) === $stat['size']
                && fflush($to)
                && fsync($to)
                && PhpRestrictions::call('touch', $path, $stat['mtime']) !== false;
        } finally {
            fclose($to);
        }
    }
}
