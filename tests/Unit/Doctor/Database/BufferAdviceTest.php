<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Database;

use Headroom\Doctor\Database\BufferAdvice;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/**
 * The reader of the advice finds the call and the recipe.
 */
final class BufferAdviceTest extends TestCase
{
    private const ROOT = __DIR__.'/../../../..';

    #[Test]
    public function the_advice_names_the_call_and_pages_that_exist(): void
    {
        foreach ([BufferAdvice::insteadOfInserts(), BufferAdvice::insteadOfCounting('shop.stock', 'shop')] as $advice) {
            self::assertStringContainsString("Buffer::bucket('", $advice);
            $this->assertNamesRecipe($advice);
        }
    }

    #[Test]
    #[TestWith(['D9'])]
    #[TestWith(['D10'])]
    public function the_page_of_the_check_prints_the_call_and_the_recipe(string $id): void
    {
        $page = (string) file_get_contents(self::ROOT."/resources/checks/{$id}.md");
        $fix = explode("\n## ", explode("\n## Fix\n", $page)[1])[0];

        self::assertMatchesRegularExpression("/^Buffer::bucket\\('\\w+'\\)->add\\(/m", $fix);
        self::assertStringContainsString("'sink' => 'database'", $fix);
        $this->assertNamesRecipe($fix);
    }

    private function assertNamesRecipe(string $text): void
    {
        self::assertStringContainsString('docs/uses/', $text);
        preg_match_all('~docs/[\w/-]+\.md~', $text, $pages);

        foreach ($pages[0] as $page) {
            self::assertFileExists(self::ROOT."/{$page}");
        }
    }
}
