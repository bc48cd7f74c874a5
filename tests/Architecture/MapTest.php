<?php

declare(strict_types=1);

namespace Headroom\Tests\Architecture;

use FilesystemIterator;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use RecursiveDirectoryIterator;
use RecursiveIteratorIterator;
use SplFileInfo;

/**
 * The documents that lead a reader to a class name folders and classes that exist.
 */
final class MapTest extends TestCase
{
    #[Test]
    public function each_folder_of_src_has_a_line_in_the_map(): void
    {
        preg_match('/^## The map$(.*?)^## /ms', Files::read('CONTRIBUTING.md'), $map);
        preg_match_all('/^\| `([A-Z][\w\/]+)` \| \S/m', $map[1] ?? '', $lines);

        self::assertSame(self::folders(), $lines[1]);
    }

    #[Test]
    public function the_page_on_architecture_names_classes_that_exist(): void
    {
        $folders = array_map(basename(...), self::folders());
        $missing = array_diff(self::classesNamedIn('docs/architecture.md'), self::classes(), $folders);

        self::assertSame([], array_values($missing));
    }

    #[Test]
    public function the_picture_names_classes_that_exist(): void
    {
        preg_match_all('/<text[^>]*>((?:[A-Z][a-z]+){2,})</', Files::read('docs/images/one-event.svg'), $names);

        self::assertGreaterThan(5, count($names[1]));
        self::assertSame([], array_values(array_diff($names[1], self::classes())));
    }

    #[Test]
    public function the_glossary_is_in_order_and_linked(): void
    {
        preg_match_all('/^\| ([a-z][a-z ]+) \| /m', Files::read('docs/glossary.md'), $terms);
        $terms = array_values(array_diff($terms[1], ['term']));
        $sorted = $terms;
        sort($sorted);

        self::assertGreaterThan(35, count($terms));
        self::assertSame($sorted, $terms);

        foreach (['README.md', 'CONTRIBUTING.md', 'docs/architecture.md'] as $page) {
            self::assertStringContainsString('glossary.md', Files::read($page), $page);
        }
    }

    /** @return list<string> folders of src/ down to depth two, as the map writes them */
    private static function folders(): array
    {
        $folders = [];

        foreach ((array) glob(Files::root().'/src/{*,*/*}', GLOB_ONLYDIR | GLOB_BRACE) as $folder) {
            $folders[] = substr((string) $folder, strlen(Files::root().'/src/'));
        }

        sort($folders);

        return $folders;
    }

    /** @return list<string> short names in backticks, without methods and namespaces */
    private static function classesNamedIn(string $page): array
    {
        preg_match_all('/`(?:[A-Z]\w+\\\\)*((?:[A-Z][a-z]+){2,})(?:::[^`]*)?`/', Files::read($page), $names);

        return array_values(array_unique($names[1]));
    }

    /** @return list<string> short names of the classes of src/ and tests/ */
    private static function classes(): array
    {
        $classes = [];

        foreach (['src', 'tests'] as $tree) {
            $files = new RecursiveDirectoryIterator(Files::root().'/'.$tree, FilesystemIterator::SKIP_DOTS);

            /** @var SplFileInfo $file */
            foreach (new RecursiveIteratorIterator($files) as $file) {
                $classes[] = $file->getBasename('.php');
            }
        }

        return $classes;
    }
}
