<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Support;

use Headroom\Support\Utf8Cut;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use RecursiveDirectoryIterator;
use RecursiveIteratorIterator;
use SplFileInfo;

final class Utf8CutTest extends TestCase
{
    private const CHARACTERS = ['a', ' ', '"', 'é', 'ß', '你', 'あ', '…', '🚀', '𝕏', "\u{301}", "\u{200D}"];

    #[Test]
    #[RequiresPhpExtension('mbstring')]
    public function it_cuts_where_mbstring_does(): void
    {
        mt_srand($seed = random_int(0, PHP_INT_MAX));

        for ($round = 0; $round < 2_000; $round++) {
            $text = implode(
                '',
                array_map(
                    static fn (): string => self::CHARACTERS[mt_rand(0, count(self::CHARACTERS) - 1)],
                    range(0, mt_rand(0, 20)),
                ),
            );
            $most = mt_rand(1, 40);

            self::assertSame(
                mb_strcut($text, 0, $most, 'UTF-8'),
                Utf8Cut::cut($text, $most),
                "Seed {$seed}: {$most} bytes of '{$text}'",
            );
            self::assertSame(
                mb_strimwidth($text, 0, $most, '…', 'UTF-8'),
                Utf8Cut::fit($text, $most),
                "Seed {$seed}: {$most} columns of '{$text}'",
            );
        }
    }

    #[Test]
    public function a_text_that_is_not_utf8_is_cut_too(): void
    {
        mt_srand($seed = random_int(0, PHP_INT_MAX));

        for ($round = 0; $round < 2_000; $round++) {
            $bytes = implode('', array_map(static fn (): string => chr(mt_rand(0, 255)), range(0, mt_rand(0, 20))));
            $most = mt_rand(0, 20);
            $cut = Utf8Cut::cut($bytes, $most);

            self::assertTrue(str_starts_with($bytes, $cut), "Seed {$seed}");
            self::assertLessThanOrEqual($most, strlen($cut), "Seed {$seed}");
            self::assertGreaterThanOrEqual(min(strlen($bytes), $most) - 3, strlen($cut), "Seed {$seed}");
        }
    }

    #[Test]
    public function no_function_is_called_that_symfony_s_polyfill_of_mbstring_lacks(): void
    {
        $polyfill = (string) file_get_contents(dirname(__DIR__, 3).'/vendor/symfony/polyfill-mbstring/bootstrap80.php');
        $missing = [];

        foreach (new RecursiveIteratorIterator(new RecursiveDirectoryIterator(dirname(__DIR__, 3).'/src')) as $file) {
            assert($file instanceof SplFileInfo);
            $code = $file->getExtension() === 'php' ? (string) file_get_contents($file->getPathname()) : '';
            preg_match_all('/\b(mb_\w+)(?=\((?!\)[ ,.]))/', $code, $called);
            $missing = [
                ...$missing,
                ...array_filter(
                    $called[1],
                    static fn (string $name): bool => ! str_contains($polyfill, "function {$name}("),
                ),
            ];
        }

        self::assertSame([], $missing);
    }
}
