<?php

declare(strict_types=1);

namespace Headroom\Sink\File;

use Headroom\Support\AtomicFile;
use Headroom\Support\FileOperation;

/**
 * The files that were set aside from one path, beside it: audit-20260131-235959-000007.ndjson for audit.ndjson. The
 * number counts up and says the order, whatever the clock does.
 *
 * @internal
 */
final readonly class Archive
{
    /** Behind the name of the file that is to be written to next. */
    private const SUCCESSOR = '.new';

    private string $directory;

    private string $stem;

    private string $extension;

    /** @param string $path of the file that is written to, no symlink */
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
     * Somebody was killed between the two steps.
     *
     * @param resource $file
     */
    public function isHalfSetAside($file): bool
    {
        foreach ((fstat($file)['nlink'] ?? 1) > 1 ? $this->uncompressed() : [] as $name) {
            if (Inode::isAt($file, "{$this->directory}/{$name}")) {
                return true;
            }
        }

        return false;
    }

    /**
     * The file gets a second name, and then another one takes its first: there is a file to write to at every moment.
     *
     * @param resource $file locked, and the one that lies there
     *
     * @throws UnableToWriteFile
     */
    public function setAside($file, int $now): void
    {
        $reason = '';

        if (! FileOperation::run(fn (): bool => $this->makeSuccessor($file), $reason)) {
            throw UnableToWriteFile::notSetAside($this->path, $this->path.self::SUCCESSOR, $reason);
        }

        if (! $this->isHalfSetAside($file)) {
            $last = array_key_last($this->files()) ?? 0;

            do {
                $aside = sprintf('%s/%s-%s-%06d%s', $this->directory, $this->stem, date('Ymd-His', $now), ++$last, $this->extension);
                // It never takes the place of a file; what lies there is somebody else's.
            } while (@lstat($aside) !== false || @lstat("{$aside}.gz") !== false);

            if (! FileOperation::run(fn (): bool => link($this->path, $aside), $reason)) {
                throw UnableToWriteFile::notSetAside($this->path, $aside, $reason);
            }
        }

        // Its second name is on disk before it loses the first.
        if (! FileOperation::run(fn (): bool => Inode::syncDirectory($this->path) && rename($this->path.self::SUCCESSOR, $this->path), $reason)) {
            throw UnableToWriteFile::notSetAside($this->path, $this->path.self::SUCCESSOR, $reason);
        }
    }

    /**
     * Who could read the old one is to read the new one, too, and nobody else.
     *
     * @param resource $file
     */
    private function makeSuccessor($file): bool
    {
        $path = $this->path.self::SUCCESSOR;
        $stat = fstat($file);
        @unlink($path);

        if ($stat === false || ! AtomicFile::make($path, '', $stat['mode'] & 0777)) {
            return false;
        }

        // Only root may give a file away, and never what a link leads to that the folder's owner has put there since.
        @lchown($path, $stat['uid']);
        @lchgrp($path, $stat['gid']);

        return true;
    }

    /** What could not be done is done the next time, and health tells: no delivery fails of it. */
    public function tidy(Rotation $rotation): void
    {
        $files = $this->files();

        foreach ($rotation->keep === null ? [] : array_slice($files, 0, max(0, count($files) - $rotation->keep), true) as $number => $names) {
            foreach ($names as $name) {
                FileOperation::run(fn (): bool => unlink("{$this->directory}/{$name}"));
            }

            unset($files[$number]);
        }

        foreach ($rotation->gzip ? $this->plain($files) : [] as $name) {
            Gzip::compress("{$this->directory}/{$name}");
        }
    }

    /** @return list<string> files that are to be compressed and are not */
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
        return array_values(array_filter(array_merge(...array_values($files)), fn (string $name): bool => preg_match("/{$this->pattern()}\\z/", $name) === 1));
    }

    /** @return array<int, list<string>> names by number, the oldest first; two when one is being made of the other */
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
