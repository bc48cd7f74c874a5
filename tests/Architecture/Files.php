<?php

declare(strict_types=1);

namespace Headroom\Tests\Architecture;

use FilesystemIterator;
use RecursiveCallbackFilterIterator;
use RecursiveDirectoryIterator;
use RecursiveIteratorIterator;
use SplFileInfo;

/**
 * The files of the repository, by paths from its root.
 */
final readonly class Files
{
    public static function root(): string
    {
        return dirname(__DIR__, 2);
    }

    public static function read(string $path): string
    {
        return (string) file_get_contents(self::root().'/'.$path);
    }

    /** @return list<string> programs in any language; empty where the directory is not there */
    public static function code(string ...$directories): array
    {
        $files = [];

        foreach ($directories as $directory) {
            foreach (self::in($directory) as $path) {
                if (
                    preg_match('~/fixtures/|/golden/~', $path) === 0
                    && preg_match('/\.(php|py|sh|bash)\z|\/[^.]+\z/', $path) === 1
                ) {
                    $files[] = $path;
                }
            }
        }

        return $files;
    }

    /** @return list<string> PHP only, by ending or by first line */
    public static function php(string ...$directories): array
    {
        return array_values(array_filter(
            self::code(...$directories),
            static fn (string $path): bool => str_ends_with($path, '.php')
                || str_starts_with(self::read($path), '#!/usr/bin/env php'),
        ));
    }

    /** @return list<string> without those of installed packages */
    public static function in(string $directory): array
    {
        $files = [];
        $base = self::root().'/'.$directory;

        if (! is_dir($base)) {
            return [];
        }

        /** @var SplFileInfo $file */
        foreach (new RecursiveIteratorIterator(new RecursiveCallbackFilterIterator(
            new RecursiveDirectoryIterator($base, FilesystemIterator::SKIP_DOTS),
            static fn (SplFileInfo $file): bool => $file->getFilename() !== 'node_modules',
        )) as $file) {
            if ($file->isFile()) {
                $files[] = substr($file->getPathname(), strlen(self::root()) + 1);
            }
        }

        sort($files);

        return $files;
    }
}
