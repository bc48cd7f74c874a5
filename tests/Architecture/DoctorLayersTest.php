<?php

declare(strict_types=1);

namespace Headroom\Tests\Architecture;

use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * The folders of the doctor import the folders below them only: a check that joins two layers lies in the higher one.
 */
final class DoctorLayersTest extends TestCase
{
    private const ORDER = [
        'Logs', 'Kernel', 'Versions', 'Application', 'Fpm', 'Opcache', 'Nginx', 'Redis', 'Database', 'Laravel',
        'UnderLoad', 'Runner',
    ];

    #[Test]
    public function each_folder_has_a_place(): void
    {
        $folders = array_map(
            static fn (string $folder): string => basename($folder),
            array_map(strval(...), (array) glob(Files::root().'/src/Doctor/*', GLOB_ONLYDIR)),
        );

        self::assertEqualsCanonicalizing(self::ORDER, $folders);
    }

    #[Test]
    public function no_folder_imports_a_higher_one(): void
    {
        $upwards = [];
        $imports = 0;

        foreach (Files::php('src/Doctor') as $file) {
            foreach (self::imported((string) file_get_contents(Files::root()."/{$file}")) as $folder) {
                $imports++;

                if (self::place($folder) > self::place(explode('/', $file)[2])) {
                    $upwards[] = "{$file}: {$folder}";
                }
            }
        }

        self::assertSame([], $upwards);
        self::assertGreaterThan(500, $imports);
    }

    #[Test]
    public function an_import_upwards_is_seen(): void
    {
        self::assertSame(['Nginx', 'Runner'], self::imported(<<<'PHP'
            <?php
            use Headroom\Doctor\Check;
            use Headroom\Doctor\Nginx\Config\Parser as NginxParser;
            use Headroom\Doctor\Runner\CheckList;
            PHP));
        self::assertGreaterThan(self::place('Fpm'), self::place('Nginx'));
        self::assertLessThan(self::place('Logs'), self::place('Check.php'));
    }

    /** @return list<string> folders */
    private static function imported(string $code): array
    {
        preg_match_all('/^use Headroom\\\\Doctor\\\\(\w+)\\\\/m', $code, $imports);

        return $imports[1];
    }

    /** Classes at the door stand below all folders. */
    private static function place(string $folder): int
    {
        $place = array_search($folder, self::ORDER, true);

        return $place === false ? -1 : $place;
    }
}
