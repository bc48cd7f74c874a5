<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel\Documents;

use Headroom\Process\Programs;
use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Support\Documents\Languages;
use Headroom\Tests\Support\Documents\OutsidePrograms;
use Headroom\Tests\Support\Documents\Pages;
use Headroom\Tests\Support\Documents\PhpNames;
use Headroom\Tests\Support\Documents\Tally;
use Headroom\Tests\Support\Markdown\CodeBlock;
use Headroom\Tests\Support\Markdown\MarkdownPage;
use Headroom\Tests\Support\MissingServer;
use PHPUnit\Framework\Attributes\AfterClass;
use PHPUnit\Framework\Attributes\BeforeClass;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * A reader who pastes the blocks of a page from top to bottom has something that works.
 */
final class FollowedPagesTest extends TestCase
{
    private static Tally $tally;

    private ?TemporaryDirectory $directory = null;

    private ?DocumentedApplication $application = null;

    #[BeforeClass]
    public static function begins(): void
    {
        self::$tally = new Tally;
    }

    #[AfterClass]
    public static function ends(): void
    {
        self::$tally->print('pages that a reader follows');
    }

    protected function tearDown(): void
    {
        $this->application?->close();
        $this->directory?->remove();
    }

    /** @return iterable<string, array{string}> */
    public static function pages(): iterable
    {
        foreach (Pages::followed() as $path) {
            yield $path => [$path];
        }
    }

    #[Test]
    #[DataProvider('pages')]
    public function each_block_of_a_page_that_is_followed_runs(string $path): void
    {
        $blocks = MarkdownPage::at($path)->blocks();
        $this->directory = TemporaryDirectory::create('documents');
        $code = implode("\n", array_map(static fn (CodeBlock $block): string => $block->code, $blocks));

        if (str_contains($code, 'curl ') && Programs::optional('curl') === null) {
            MissingServer::named('clients', 'No curl is here: bin/services install clients');
        }

        $this->application = DocumentedApplication::create(usesRedis: stripos($code, 'redis') !== false);
        $languages = new Languages(new PhpNames(Pages::classes()), new OutsidePrograms($this->directory));
        $page = new FollowedPage($this->application, $languages, $blocks, Pages::before($path));
        $faults = [];

        foreach ($page->follow() as $number => $verdict) {
            self::$tally->add($path, $verdict);
            $faults[] = $verdict->fault === '' ? '' : "{$blocks[$number]->place()}: {$verdict->fault}\n";
        }

        self::assertSame('', implode('', $faults));
    }
}
