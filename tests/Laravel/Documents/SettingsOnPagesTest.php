<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel\Documents;

use Headroom\Tests\Architecture\Files;
use Headroom\Tests\Support\Documents\Pages;
use Headroom\Tests\Support\Documents\PhpCode;
use Headroom\Tests\Support\Documents\PhpShape;
use Headroom\Tests\Support\Markdown\CodeBlock;
use Headroom\Tests\Support\Markdown\MarkdownPage;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * Settings of the buffer that any page shows: the buffer knows each key, and each bucket's sink can be made.
 */
final class SettingsOnPagesTest extends TestCase
{
    private DocumentedApplication $application;

    protected function setUp(): void
    {
        $this->application = DocumentedApplication::create(usesRedis: false);
        self::assertSame(0, $this->application->app->artisan('migrate', '--force')->exit);
    }

    protected function tearDown(): void
    {
        $this->application->close();
    }

    #[Test]
    public function the_buffer_takes_the_settings_of_each_page(): void
    {
        $faults = [];

        foreach ($this->settings() as $block) {
            $outcome = $this->application->accepts($block, self::drivers($block->page));
            $reason = explode("\n", $outcome->all())[0];
            $faults = $outcome->exit === 0 ? $faults : [...$faults, "{$block->place()}: {$reason}"];
        }

        self::assertSame('', implode("\n", $faults));
    }

    #[Test]
    public function settings_that_the_buffer_does_not_take_are_seen(): void
    {
        $block = new CodeBlock('page.md', 1, '', 'php', "'a' => ['sink' => 'database', 'tabel' => 'a'],\n", '');

        self::assertStringContainsString('tabel', $this->application->accepts($block)->err);
    }

    /** @return list<CodeBlock> */
    private function settings(): array
    {
        $settings = [];

        foreach (Pages::all() as $path) {
            foreach (MarkdownPage::at($path)->blocks('php') as $block) {
                foreach (Pages::declared($block) as $class) {
                    $file = lcfirst(str_replace('\\', '/', $class)).'.php';

                    if (str_starts_with($file, 'app/')) {
                        $this->application->write($file, PhpCode::parse($block->code)->file());
                    }
                }

                if (Pages::shape($block) === PhpShape::Entries && self::isOfTheBuffer($block)) {
                    $settings[] = $block;
                }
            }
        }

        return $settings;
    }

    private static function isOfTheBuffer(CodeBlock $block): bool
    {
        return $block->file() === 'config/spool.php'
            || ($block->file() === null && preg_match("/'sink' +=> /", $block->code) === 1);
    }

    /** @return list<string> drivers that the page adds with Buffer::extend() */
    private static function drivers(string $page): array
    {
        preg_match_all("/extend\\('([\w-]+)'/", Files::read($page), $added);

        return $added[1];
    }
}
