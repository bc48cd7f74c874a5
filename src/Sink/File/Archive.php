<?php

declare(strict_types=1);

namespace Headroom\Sink\File;

use Headroom\Support\AtomicFile;
use Headroom\Support\FileOperation;

/**
 * The rotated files of one path, in the same directory: audit-20260131-235959-000007.ndjson for audit.ndjson. The
 * number increases with each rotation, so it gives the order even if the clock is set back.
 *
 * @internal
 */
final readonly class Archive
{
    /** Suffix of the empty file that replaces the rotated one. */
    private const REPLACEMENT = '.new';

    private string $directory;

    private string $stem;

    private string $extension;

    /** @param string $path of the current file, with symlinks resolved */
    public function __construct(private string $path)
    {
        $extension = pathinfo($path, PATHINFO_EXTENSION);
        $name = basename($path);
        // A name such as .events has no extension.
        $this->extension = $extension === '' || $name === ".{$extension}" ? '' : ".{$extension}";
        $this->directory = dirname($path);
        $this->stem = $this->extension === '' ? $name : substr($name, 0, -strlen($this->extension));
    }

    /**
     * True if a process was killed between the two steps of rotate(): then the file has two names.
     *
     * @param resource $file
     */
    public function isRotationInterrupted($file): bool
    {
        foreach ((fstat($file)['nlink'] ?? 1) > 1 ? $this->uncompressed() : [] as $name) {
            if (Inode::isAt($file, "{$this->directory}/{$name}")) {
                return true;
            }
        }

        return false;
    }

    /**
     * Links the file to its archive name, then renames an empty file over the old name. So a file exists under the path
     * at every moment.
     *
     * @param resource $file locked, and the file at the path
     *
     * @throws UnableToWriteFile
     */
    public function rotate($file, int $now): void
    {
        $reason = '';

        if (! FileOperation::run(fn (): bool => $this->createReplacement($file), $reason)) {
            throw UnableToWriteFile::notRotated($this->path, $this->path.self::REPLACEMENT, $reason);
        }

        if (! $this->isRotationInterrupted($file)) {
            $last = array_key_last($this->files()) ?? 0;

            do {
                $archived = sprintf(
                    '%s/%s-%s-%06d%s',
                    $this->directory,
                    $this->stem,
                    date('Ymd-His', $now),
                    ++$last,
                    $this->extension,
                );
                // Never overwrite a file that this package did not create.
            } while (@lstat($archived) !== false || @lstat("{$archived}.gz") !== false);

            if (! FileOperation::run(fn (): bool => link($this->path, $archived), $reason)) {
                throw UnableToWriteFile::notRotated($this->path, $archived, $reason);
            }
        }

        // The second name must be on disk before the file loses its first.
        if (! FileOperation::run(
            fn (): bool => Inode::syncDirectory($this->path) && rename($this->path.self::REPLACEMENT, $this->path),
            $reason,
        )) {
            throw UnableToWriteFile::notRotated($this->path, $this->path.self::REPLACEMENT, $reason);
        }
    }

    /**
     * The new file gets the mode and the owner of the old one, so that the same users can read it.
     *
     * @param resource $file
     */
    private function createReplacement($file): bool
    {
        $path = $this->path.self::REPLACEMENT;
        $stat = fstat($file);
        @unlink($path);

        if ($stat === false || ! AtomicFile::make($path, '', $stat['mode'] & 0777)) {
            return false;
        }

        // Only root may change the owner. lchown() does not follow a link that the owner of the directory may have put
        // there.
        @lchown($path, $stat['uid']);
        @lchgrp($path, $stat['gid']);

        return true;
    }

    /**
     * Deletes and compresses rotated files. A failure does not fail the delivery: the next rotation tries again, and
     * the health check reports it.
     */
    public function cleanUp(Rotation $rotation): void
    {
        $files = $this->files();

        foreach ($rotation->keep === null ? [] : array_slice(
            $files,
            0,
            max(0, count($files) - $rotation->keep),
            true,
        ) as $number => $names) {
            foreach ($names as $name) {
                FileOperation::run(fn (): bool => unlink("{$this->directory}/{$name}"));
            }

            unset($files[$number]);
        }

        foreach ($rotation->gzip ? $this->plain($files) : [] as $name) {
            Gzip::compress("{$this->directory}/{$name}");
        }
    }

    /** @return list<string> files that are not compressed yet */
    public function uncompressed(): array
    {
        return $this->plain($this->files());
    }

    /**
     * @param array<int, list<string>> $files
     * @return list<string>
     */
    private function plain(array $files): array
    {
        return array_values(array_filter(
            array_merge(...array_values($files)),
            fn (string $name): bool => preg_match("/{$this->pattern()}\\z/", $name) === 1,
        ));
    }

    /**
     * @return array<int, list<string>> names by number, the oldest first; two names while a file is being compressed
     */
    private function files(): array
    {
        $names = @scandir($this->directory);
        $files = [];

        foreach ($names === false ? [] : $names as $name) {
            if (preg_match("/{$this->pattern()}(?:\\.gz(?:\\".Gzip::UNFINISHED.')?)?\z/', $name, $m) === 1) {
                $files[(int) $m[1]][] = $name;
            }
        }

        ksort($files);

        return $files;
    }

    private function pattern(): string
    {
        return '\A'.preg_quote($this->stem, '/').'-\d{8}-\d{6}-(\d{6,12})'.preg_quote($this->extension, '/');
    }
}
