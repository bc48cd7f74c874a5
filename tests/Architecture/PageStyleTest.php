<?php

declare(strict_types=1);

namespace Headroom\Tests\Architecture;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class PageStyleTest extends TestCase
{
    /** A decision is a record, and the home page of the site has no text of its own. */
    private const OTHERS = '~^docs/(adr/\d|index\.md|\.|node_modules)~';

    /** @return iterable<string, array{string}> */
    public static function pages(): iterable
    {
        $papers = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'UPGRADING.md', 'CHANGELOG.md', 'CODE_OF_CONDUCT.md'];

        foreach ([...$papers, ...Files::in('docs')] as $path) {
            if (str_ends_with($path, '.md') && preg_match(self::OTHERS, $path) === 0) {
                yield $path => [$path];
            }
        }
    }

    #[Test]
    #[DataProvider('pages')]
    public function a_page_has_the_shape_of_the_house(string $path): void
    {
        self::assertSame([], (new PageStyle($path, Files::read($path)))->breaches());
    }

    /** @return iterable<string, array{string}> */
    public static function planted(): iterable
    {
        yield 'no heading' => ["Text.\n"];
        yield 'two first headings' => ["# One\n\nText.\n\n# Two\n"];
        yield 'a list first' => ["# One\n\n- item\n"];
        yield 'a table first' => ["# One\n\n| a | b |\n|---|---|\n"];
        yield 'a block below a heading' => ["# One\n\nText.\n\n## Two\n\n```shell\nls\n```\n"];
        yield 'a block below a block' => ["# One\n\nRun:\n\n```shell\nls\n```\n\n```shell\nls\n```\n"];
        yield 'a wide table' => ["# One\n\nText.\n\n| a | b | c | d |\n|---|---|---|---|\n| 1 | 2 | 3 | 4 |\n"];
        yield 'a box with text on its line' => ["# One\n\nText.\n\n> [!WARNING] Careful.\n"];
        yield 'an unknown box' => ["# One\n\nText.\n\n> [!DANGER]\n> Careful.\n"];
        yield 'what as a subject' => ["# One\n\nText. What waits is delivered later.\n"];
        yield 'empty words' => ["# One\n\nSimply run it.\n"];
    }

    #[Test]
    #[DataProvider('planted')]
    public function a_breach_is_seen(string $text): void
    {
        self::assertCount(1, (new PageStyle('page.md', $text))->breaches(), $text);
    }

    #[Test]
    public function a_good_page_has_no_breach(): void
    {
        $text = <<<'MD'
            # One

            You can run it:

            ```shell
            ls # not a heading
            ```

            > [!WARNING]
            > Run it as the web user:
            >
            > ```shell
            > ls
            > ```

            ## What is it?

            | a | b | c |
            |---|---|---|
            | 1 | 2 | 3 |
            MD;

        self::assertSame([], (new PageStyle('page.md', $text))->breaches());
    }
}
