<?php

declare(strict_types=1);

namespace Headroom\Tests\Architecture;

use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use SimpleXMLElement;

final class SuitesTest extends TestCase
{
    #[Test]
    public function every_test_belongs_to_one_suite(): void
    {
        self::assertSame([], self::misplaced(Files::read('phpunit.xml.dist'), Files::php('tests')));
    }

    #[Test]
    public function make_test_runs_each_suite_and_no_other(): void
    {
        preg_match_all('/--testsuite ([a-z,-]+)/', Files::read('Makefile'), $lists);
        $run = array_unique(explode(',', implode(',', $lists[1])));
        $suites = array_keys(self::suites(Files::read('phpunit.xml.dist')));
        sort($run);
        sort($suites);

        self::assertSame($suites, $run);
    }

    #[Test]
    public function a_test_in_no_suite_or_in_two_is_seen(): void
    {
        $configuration = <<<'XML'
            <phpunit><testsuites>
                <testsuite name="a">
                    <directory>tests/A</directory>
                    <exclude>tests/A/Slow</exclude>
                    <exclude>tests/A/LostTest.php</exclude>
                </testsuite>
                <testsuite name="b">
                    <directory>tests/B</directory>
                    <file>tests/A/TwiceTest.php</file>
                    <file>tests/A/Slow/OneTest.php</file>
                </testsuite>
            </testsuites></phpunit>
            XML;

        self::assertSame(
            [
                'tests/A/LostTest.php' => [],
                'tests/A/Slow/TwoTest.php' => [],
                'tests/A/TwiceTest.php' => ['a', 'b'],
                'tests/C/OneTest.php' => [],
            ],
            self::misplaced($configuration, [
                'tests/A/Deep/OneTest.php', 'tests/A/LostTest.php', 'tests/A/Slow/OneTest.php',
                'tests/A/Slow/TwoTest.php', 'tests/A/TwiceTest.php', 'tests/AB.php', 'tests/B/OneTest.php',
                'tests/C/OneTest.php', 'tests/Helper.php',
            ]),
        );
    }

    /**
     * @param list<string> $paths
     * @return array<string, list<string>> suites of each test that is not in exactly one
     */
    private static function misplaced(string $configuration, array $paths): array
    {
        $suites = self::suites($configuration);
        $misplaced = [];

        foreach ($paths as $path) {
            $in = array_keys(array_filter($suites, static fn (array $suite): bool => self::has($suite, $path)));

            if (str_ends_with($path, 'Test.php') && count($in) !== 1) {
                $misplaced[$path] = $in;
            }
        }

        return $misplaced;
    }

    /** @return array<string, array{directory: list<string>, file: list<string>, exclude: list<string>}> by name */
    private static function suites(string $configuration): array
    {
        $suites = [];

        foreach ((new SimpleXMLElement($configuration))->testsuites->testsuite as $suite) {
            $suites[(string) $suite['name']] = [
                'directory' => array_map(strval(...), iterator_to_array($suite->directory, false)),
                'file' => array_map(strval(...), iterator_to_array($suite->file, false)),
                'exclude' => array_map(strval(...), iterator_to_array($suite->exclude, false)),
            ];
        }

        return $suites;
    }

    /** @param array{directory: list<string>, file: list<string>, exclude: list<string>} $suite */
    private static function has(array $suite, string $path): bool
    {
        $isBelow = static fn (string $directory): bool => str_starts_with("{$path}/", "{$directory}/");

        return in_array($path, $suite['file'], true)
            || (array_filter($suite['directory'], $isBelow) !== [] && array_filter($suite['exclude'], $isBelow) === []);
    }
}
