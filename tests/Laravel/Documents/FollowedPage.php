<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel\Documents;

use Headroom\Tests\Architecture\Files;
use Headroom\Tests\Support\Documents\ConfigBlocks;
use Headroom\Tests\Support\Documents\Languages;
use Headroom\Tests\Support\Documents\Pages;
use Headroom\Tests\Support\Documents\PhpCode;
use Headroom\Tests\Support\Documents\PhpShape;
use Headroom\Tests\Support\Documents\Verdict;
use Headroom\Tests\Support\Dug;
use Headroom\Tests\Support\Markdown\CodeBlock;
use PHPUnit\Framework\Assert;

/**
 * Does what a page says, block by block, in one application: first it writes all files, as a reader has them in the
 * end, then it runs fragments, commands and tests in the order of the page.
 */
final class FollowedPage
{
    private ConfigBlocks $config;

    /**
     * @param list<CodeBlock> $blocks of the page
     * @param list<CodeBlock> $before blocks of other pages whose classes this page uses
     */
    public function __construct(
        private readonly DocumentedApplication $application,
        private readonly Languages $languages,
        private readonly array $blocks,
        private readonly array $before,
    ) {
        $this->config = new ConfigBlocks;
    }

    /** @return list<Verdict> one for each block */
    public function follow(): array
    {
        foreach ([...$this->before, ...$this->blocks] as $number => $block) {
            $this->place($block, $number);
        }

        $this->configure(0);
        $migrated = $this->application->app->artisan('migrate', '--force');
        Assert::assertSame(0, $migrated->exit, $migrated->all());
        $run = new BlockRun($this->application, $this->languages, $this->configure(...));
        $verdicts = array_map($run->verdict(...), $this->blocks);
        $this->assertRoutesAnswer();
        $this->assertEventsArrive();

        return $verdicts;
    }

    /** @param int $reached number of blocks of settings that the reader has reached */
    private function configure(int $reached): void
    {
        foreach ($this->config->files($this->originals(), $reached) as $file => $code) {
            $this->application->write($file, $code);
        }
    }

    /** Writes what belongs to a file. */
    private function place(CodeBlock $block, int $number): void
    {
        $file = $block->file();
        $shape = $block->language === 'php' ? Pages::shape($block) : null;

        if ($shape === PhpShape::Entries) {
            $this->config->add($block);
        } elseif ($file === '.env') {
            $this->application->append('.env', $block->code);
        } elseif ($file === 'phpunit.xml') {
            $phpunit = str_replace('</php>', "{$block->code}</php>", $this->application->app->read($file));
            $this->application->write($file, $phpunit);
        } elseif ($file !== null && preg_match('~\Aroutes/(web|api|console)\.php\z~', $file, $kind) === 1) {
            $this->application->write("routes/{$kind[1]}/{$number}.php", PhpCode::parse($block->code)->file());
        } elseif ($file !== null) {
            $code = $shape === null ? $block->code : PhpCode::parse($block->code)->file();
            $this->application->write((string) preg_replace('/…|\.{3}/u', "2025_01_01_{$number}", $file), $code);
        }
    }

    /** A route that no block of the page requests is requested here. A refusal is an answer, an error is none. */
    private function assertRoutesAnswer(): void
    {
        $list = $this->application->app->artisan('route:list', '--json');
        $routes = json_decode($list->out, true);
        Assert::assertIsArray($routes, $list->all());

        foreach ($routes as $route) {
            Assert::assertIsArray($route);
            Assert::assertIsString($route['method']);
            Assert::assertIsString($route['uri']);
            [$method] = explode('|', $route['method']);

            if (
                preg_match('~\A(?:api/given/|headroom(?:/|$)|up$|storage/)~', $route['uri']) !== 1
                && ! str_contains($this->application->notes('storage/requested.txt'), "{$method} {$route['uri']}\n")
            ) {
                $this->application->requests($method, $route['uri']);
            }
        }
    }

    private function assertEventsArrive(): void
    {
        $flushed = $this->application->app->artisan('spool:flush');
        Assert::assertSame(0, $flushed->exit, $flushed->all());
        $failed = $this->application->app->artisan('spool:failed', '--json');
        Assert::assertSame(0, Dug::json($failed->out, 'letters'), $failed->all());
    }

    /** @return array<string, string> */
    private function originals(): array
    {
        $originals = ['config/spool.php' => $this->application->app->path('given-spool.php')];

        foreach (['logging', 'services', 'database', 'queue', 'app'] as $name) {
            $originals["config/{$name}.php"] = Files::root()."/vendor/laravel/framework/config/{$name}.php";
        }

        return $originals;
    }
}
