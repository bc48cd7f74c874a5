<?php

declare(strict_types=1);

namespace Headroom\Sink\File;

use Headroom\Support\AtomicFile;
use Headroom\Support\FileOperation;

/**
 * A file compressed a piece at a time. The original goes when the other one is whole and on disk, so that a kill, a power
 * cut or a full disk at any moment leaves one of them, or both.
 *
 * @internal
 */
final readonly class Gzip
{
    private const PIECE = 262_144;

    /** Behind a name that no reader takes for one of the files. */
    public const UNFINISHED = '.tmp';

    /** @return bool false when it could not be: the file is as it was */
    public static function compress(string $path): bool
    {
        $from = FileOperation::run(static fn () => fopen($path, 're'));

        if ($from === false) {
            return false;
        }

        try {
            // Another process may be doing just that, and have done it by now.
            if (! flock($from, LOCK_EX | LOCK_NB) || ! Inode::isAt($from, $path)) {
                return false;
            }

            $unfinished = "{$path}.gz".self::UNFINISHED;
            $isWhole = FileOperation::run(static fn (): bool => self::copy($from, $unfinished) && rename($unfinished, "{$path}.gz") && Inode::syncDirectory($path));

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
        // What a kill left, or a link that somebody laid there.
        @unlink($path);
        $deflate = deflate_init(ZLIB_ENCODING_GZIP);
        $stat = fstat($from);
        // No chmod() by name follows, which would reach what another user has put there since.
        $to = $stat === false ? false : AtomicFile::open($path, $stat['mode'] & 0777);

        if ($to === false || $deflate === false) {
            return false;
        }

        try {
            do {
                $piece = fread($from, self::PIECE);
                $isLast = $piece === '' || feof($from);
                $packed = $piece === false ? false : deflate_add($deflate, $piece, $isLast ? ZLIB_FINISH : ZLIB_NO_FLUSH);

                if ($packed === false || fwrite($to, $packed) !== strlen($packed)) {
                    return false;
                }
            } while (! $isLast);

            return ftell($from) === $stat['size'] && fflush($to) && fsync($to) && touch($path, $stat['mtime']);
        } finally {
            fclose($to);
        }
    }
}
