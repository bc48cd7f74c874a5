<?php

declare(strict_types=1);

namespace Headroom\Preload\Selection;

use FilesystemIterator;
use RecursiveDirectoryIterator;
use RecursiveIteratorIterator;
use SplFileInfo;

/**
 * Finds the classes in directories that Composer's autoloader would load from the same file. This leaves out the tests,
 * stubs and examples of packages.
 *
 * @internal
 */
final readonly class ClassFinder
{
    public function __construct(private Project $project, private SourceCache $sources) {}

    /**
     * @param list<string> $paths directories and files, relative to the root
     * @return array<string, string> files by class
     */
    public function classes(array $paths): array
    {
        $classes = [];

        foreach ($paths as $path) {
            foreach ($this->files($path) as $file) {
                $classes += $this->classesOf($file);
            }
        }

        return $classes;
    }

    /** @return array<string, string> */
    private function classesOf(string $file): array
    {
        try {
            $declarations = $this->sources->get($file)->declarations;
        } catch (UnableToRead) {
            return [];
        }

        $names = array_map(static fn (Declaration $declaration): string => $declaration->name, $declarations);

        return array_fill_keys(
            array_filter($names, fn (string $name): bool => $this->project->fileOf($name) === $file),
            $file,
        );
    }

    /** @return list<string> */
    private function files(string $path): array
    {
        $path = $this->project->relative($this->project->absolute($path));

        if ($path === null) {
            return [];
        }

        $start = $this->project->absolute($path);

        if (is_file($start)) {
            return [$path];
        }

        if (! is_dir($start) || ! is_readable($start)) {
            return [];
        }

        $files = [];
        $entries = new RecursiveIteratorIterator(
            new RecursiveDirectoryIterator($start, FilesystemIterator::SKIP_DOTS),
            RecursiveIteratorIterator::LEAVES_ONLY,
            RecursiveIteratorIterator::CATCH_GET_CHILD, // a directory that this user may not enter
        );

        foreach ($entries as $entry) {
            if ($entry instanceof SplFileInfo && $entry->getExtension() === 'php' && $entry->isFile()) {
                $files[] = $path.substr($entry->getPathname(), strlen($start));
            }
        }

        sort($files, SORT_STRING);

        return $files;
    }
}
