<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Dev\Wrap;

use Headroom\Dev\Wrap\Wrapper;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

final class WrapperTest extends TestCase
{
    private const HEAD = "<?php\n\ndeclare(strict_types=1);\n\n";

    #[Test, DataProvider('examples')]
    public function wide_lines_break_as_in_the_example(string $before, string $after): void
    {
        self::assertSame($after, (new Wrapper)->wrap($before));
    }

    #[Test, DataProvider('examples')]
    public function wrapped_code_stays_as_it_is(string $before, string $after): void
    {
        self::assertNotSame($before, $after);
        self::assertSame($after, (new Wrapper)->wrap($after));
    }

    /** @return iterable<string, array{string, string}> */
    public static function examples(): iterable
    {
        foreach ((array) glob(__DIR__.'/fixtures/*.txt') as $file) {
            [$before, $after] = explode("----\n", (string) file_get_contents((string) $file));

            yield basename((string) $file, '.txt') => [self::HEAD.$before, self::HEAD.$after];
        }
    }

    #[Test]
    public function a_line_of_120_characters_is_not_too_wide(): void
    {
        $code = static fn (int $width): string => self::HEAD.'f('.str_repeat('a', $width - 7).", 1);\n";

        self::assertSame($code(120), (new Wrapper)->wrap($code(120)));
        self::assertSame(
            self::HEAD."f(\n    ".str_repeat('a', 114).",\n    1,\n);\n",
            (new Wrapper)->wrap($code(121)),
        );
    }

    #[Test]
    public function umlauts_count_as_one_character(): void
    {
        $code = self::HEAD."f('".str_repeat('ä', 100)."', 1);\n";

        self::assertSame($code, (new Wrapper)->wrap($code));
    }

    #[Test]
    #[TestWith(["\$a = <<<'X'\n    {WIDE}\n    X;\n"])]
    #[TestWith(["\$a = \"\n{WIDE}\n\";\n"])]
    #[TestWith(["preg_match('/{WIDE}/', \$a);\n"])]
    #[TestWith(["// @phpstan-ignore argument.type\n\$a = '{WIDE}';\n"])]
    #[TestWith(["?>\n<p>{WIDE}</p>\n"])]
    public function text_that_is_no_code_stays(string $code): void
    {
        $code = self::HEAD.str_replace('{WIDE}', str_repeat('f($a, $b); ', 20), $code);

        self::assertSame($code, (new Wrapper)->wrap($code));
    }
}
