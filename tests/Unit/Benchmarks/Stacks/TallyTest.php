<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Benchmarks\Stacks;

use Headroom\Benchmarks\Stacks\KnownPage;
use Headroom\Benchmarks\Stacks\Tally;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

final class TallyTest extends TestCase
{
    private const MIDDLEWARE = 31;

    /** @param list<string> $below the framework's frames */
    #[Test]
    #[TestWith([['Page::show'], true])]
    #[TestWith([['Page::show', 'Prices::all'], true])]
    #[TestWith([['Page::show', 'Tree::depth', 'Tree::depth', 'Tree::depth'], true])]
    #[TestWith([['Page::show', 'Signer::sign', 'hash_pbkdf2'], true])]
    #[TestWith([['Page::show', 'Page::cpu', 'getrusage'], true])]
    #[TestWith([['Page::show', 'Prices::all', 'hash_pbkdf2'], false])]
    #[TestWith([['Page::show', 'Tree::depth', 'Prices::all'], false])]
    #[TestWith([['Page::show', 'Signer::sign', 'Tree::depth'], false])]
    #[TestWith([['Prices::all'], false])]
    #[TestWith([['Page::show', "\0\1"], false])]
    public function a_stack_that_the_page_cannot_have_is_reported(array $below, bool $canBe): void
    {
        $framework = array_fill(0, self::MIDDLEWARE, 'Middleware::handle');

        self::assertSame($canBe, KnownPage::canBe(['(main)', ...$framework, ...$below]));
        self::assertFalse(KnownPage::canBe([...$framework, ...$below]), 'Without the script.');
        self::assertFalse(KnownPage::canBe(['(main)', ...array_slice($framework, 1), ...$below]), 'Without one frame.');
    }

    #[Test]
    public function what_phpspy_prints_is_counted_by_part(): void
    {
        $framework = array_fill(0, self::MIDDLEWARE, 'Middleware::handle /p.php:25');
        $page = ['hash_pbkdf2 <internal>:-1', 'Signer::sign /p.php:9', 'Page::show /p.php:15'];
        $frames = [...$page, ...$framework, '<main> /p.php:1'];
        $numbered = static fn (int $i, string $frame): string => "{$i} {$frame}";
        $block = implode("\n", array_map($numbered, array_keys($frames), $frames));

        $tally = Tally::ofPhpspy("{$block}\n\n{$block}\n\n0 Prices::all /p.php:3\n1 <main> /p.php:1\n\n");

        self::assertSame(['idle' => 0, 'true' => 2, 'impossible' => 1, 'unreadable' => 0], $tally->kinds);
        self::assertSame(['hash_pbkdf2' => 2], $tally->tops);
        self::assertSame(['Signer::sign' => 2], $tally->parts);
    }
}
