<?php

declare(strict_types=1);

namespace Headroom\Tests\Architecture;

use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class SuitesTest extends TestCase
{
    #[Test]
    public function every_test_belongs_to_a_suite(): void
    {
        self::assertSame([], self::outside(Files::php('tests')));
    }

    #[Test]
    public function a_test_outside_the_suites_is_seen(): void
    {
        self::assertSame(
            ['tests/Elsewhere/OneTest.php'],
            self::outside(['tests/Elsewhere/OneTest.php', 'tests/Unit/Deep/OneTest.php', 'tests/Helper.php']),
        );
    }

    /**
     * @param list<string> $paths
     * @return list<string> tests that no suite of phpunit.xml.dist would run
     */
    private static function outside(array $paths): array
    {
        preg_match_all('~<directory>(tests/[^<]+)</directory>~', Files::read('phpunit.xml.dist'), $directories);

        return array_values(array_filter($paths, static function (string $path) use ($directories): bool {
            $in = array_filter(
                $directories[1],
                static fn (string $directory): bool => str_starts_with($path, $directory.'/'),
            );

            return str_ends_with($path, 'Test.php') && $in === [];
        }));
    }
}
