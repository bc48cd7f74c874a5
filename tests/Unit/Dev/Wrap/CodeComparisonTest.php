<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Dev\Wrap;

use Headroom\Dev\Wrap\CodeComparison;
use Headroom\Dev\Wrap\UnableToWrap;
use PhpParser\ParserFactory;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

final class CodeComparisonTest extends TestCase
{
    #[Test]
    #[TestWith(['f($a, $b);', "f(\n    \$a,\n    \$b,\n);"])]
    #[TestWith(["/** A b\n * c. */\nf();", "/**\n * A\n * b c.\n */\nf();"])]
    #[TestWith([
        '/** @var array{a: int, b: int} $x */', "/**\n * @var array{\n *     a: int,\n *     b: int,\n * } \$x\n */",
    ])]
    #[TestWith(["// One.\nf(); // Two.", "// One.\n// Two.\nf();"])]
    #[TestWith(["f('a');", 'f("a");'])]
    #[TestWith(["f('a b');", "f('a'\n    .' b');"])]
    #[TestWith(["f('a'.\$b.'c d');", "f('a'.\$b.'c'.' d');"])]
    #[TestWith(['f("a {$b} c\n");', 'f("a {$b}".\' c\'."\n");'])]
    public function white_space_trailing_commas_and_split_literals_make_no_difference(
        string $before,
        string $after,
    ): void {
        self::assertNull(self::difference($before, $after));
    }

    #[Test]
    #[TestWith(['f($a, $b);', 'f($b, $a);', 'syntax tree'])]
    #[TestWith(['$a - ($b - $c);', '$a - $b - $c;', 'syntax tree'])]
    #[TestWith(["f('a\\n');", 'f("a\\n");', 'syntax tree'])]
    #[TestWith(["f('a b');", "f('a'.'b');", 'syntax tree'])]
    #[TestWith(["f('a'.\$b);", "f(\$b.'a');", 'syntax tree'])]
    #[TestWith(['f("a {$b}");', 'f(\'a \'.$b);', 'tokens'])]
    #[TestWith(["f('a', 'b');", "f('a'.'b');", 'syntax tree'])]
    #[TestWith(['f(($a));', 'f($a);', 'tokens'])]
    #[TestWith(['/** A b. */ f();', '/** A. */ f();', 'docblocks'])]
    #[TestWith(['/** @return list<int> */', '/** @return list<string> */', 'docblocks'])]
    #[TestWith(['f(); // One.', 'f();', 'comments'])]
    public function other_code_is_refused(string $before, string $after, string $named): void
    {
        self::assertStringContainsString($named, (string) self::difference($before, $after));
    }

    /** @return ?string what differs; null where nothing does */
    private static function difference(string $before, string $after): ?string
    {
        $comparison = new CodeComparison((new ParserFactory)->createForHostVersion());

        try {
            $comparison->assertSame("<?php\n{$before}", "<?php\n{$after}");
        } catch (UnableToWrap $e) {
            return $e->getMessage();
        }

        return null;
    }
}
