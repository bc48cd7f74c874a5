<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel\Documents;

use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Support\Documents\Languages;
use Headroom\Tests\Support\Documents\OutsidePrograms;
use Headroom\Tests\Support\Documents\Pages;
use Headroom\Tests\Support\Documents\PhpNames;
use Headroom\Tests\Support\Documents\Proof;
use Headroom\Tests\Support\Documents\Tally;
use Headroom\Tests\Support\Documents\Verdict;
use Headroom\Tests\Support\Markdown\CodeBlock;
use Headroom\Tests\Support\Markdown\MarkdownPage;
use PHPUnit\Framework\Attributes\AfterClass;
use PHPUnit\Framework\Attributes\BeforeClass;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/**
 * Each code block of each page: its language is known, its grammar is right, and the names in it exist.
 * FollowedPagesTest runs the blocks of the pages that a reader follows step by step.
 */
final class CodeBlocksTest extends TestCase
{
    private static Tally $tally;

    private TemporaryDirectory $directory;

    #[BeforeClass]
    public static function begins(): void
    {
        self::$tally = new Tally;
    }

    #[AfterClass]
    public static function ends(): void
    {
        self::$tally->print('all pages');
    }

    protected function setUp(): void
    {
        $this->directory = TemporaryDirectory::create('documents');
    }

    protected function tearDown(): void
    {
        $this->directory->remove();
    }

    /** @return iterable<string, array{string}> */
    public static function pages(): iterable
    {
        foreach (Pages::all() as $path) {
            yield $path => [$path];
        }
    }

    #[Test]
    #[DataProvider('pages')]
    public function each_code_block_is_what_its_language_says(string $path): void
    {
        $blocks = MarkdownPage::at($path)->blocks();
        $languages = $this->languages();
        $others = array_merge(...array_map(Pages::declared(...), $blocks));
        $faults = [];

        foreach ($blocks as $block) {
            $verdict = $languages->check($block, $others);
            self::$tally->add($path, $verdict);

            if ($verdict->fault !== '') {
                $faults[] = "{$block->place()} ({$block->language}): {$verdict->fault}";
            }
        }

        self::assertSame('', implode("\n", $faults));
    }

    #[Test]
    #[TestWith(['', "php artisan about\n", 'names no language'])]
    #[TestWith(['cobol', "STOP RUN.\n", 'No check knows'])]
    #[TestWith(['php', "Buffer::bucket('a')->add([]);\n", 'needs a `use` line'])]
    #[TestWith(['php', "use Headroom\\Laravel\\Facades\\Buffer;\n\nBuffer::buket('a');\n", 'buket'])]
    #[TestWith([
        'php', "use Headroom\\Laravel\\Facades\\Buffer;\n\nBuffer::fake()->rejectWhenFul();\n", 'rejectWhenFul',
    ])]
    #[TestWith(['php', "namespace App\\Models;\n\nfinal class A extends Model {}\n", 'App\Models\Model'])]
    #[TestWith(['php', "return [\n", 'It is no PHP'])]
    #[TestWith(['shell', "if true; then\n", 'syntax error'])]
    #[TestWith(['shell', "$ php artisan about\n", 'A prompt'])]
    #[TestWith(['json', "{\"a\": 1,}\n", 'It is no JSON'])]
    #[TestWith(['xml', "<env name=\"A\">\n", 'It is no XML'])]
    #[TestWith(['ini', "SPOOL_PATHH=/srv/buffer\n", 'SPOOL_PATHH'])]
    #[TestWith(['ini', "[a\n", 'no file of settings'])]
    #[TestWith(['cron', "* * * * php artisan schedule:run\n", 'php'])]
    #[TestWith(['csv', "a,b\n1\n", 'different numbers'])]
    #[TestWith(['diff', "? a\n", 'a line of a diff'])]
    #[TestWith(['dockerfile', "RUM a\n", 'an instruction'])]
    #[TestWith(['http', "POST /a HTTP/1.1\nno header\n", 'a header'])]
    public function a_block_that_is_wrong_is_seen(string $language, string $code, string $fault): void
    {
        $verdict = $this->languages()->check(new CodeBlock('page.md', 1, '', $language, $code, ''));

        self::assertStringContainsString($fault, $verdict->fault);
    }

    #[Test]
    #[TestWith(['nginx', "server { lissten 80; }\n", 'lissten'])]
    #[TestWith(['nginx', "location / { proxy_pas http://127.0.0.1; }\n", 'proxy_pas'])]
    #[TestWith(['ini', "[Service]\nExecStart=/usr/bin/php artisan spool:work\nRestarts=always\n", 'Restarts'])]
    #[TestWith(['js', "const a = ;\n", 'Unexpected token'])]
    #[TestWith(['yaml', "a: [1\nb: 2\n", 'expected'])]
    public function a_program_refuses_a_block_that_is_wrong_for_it(string $language, string $code, string $fault): void
    {
        $verdict = $this->languages()->check(new CodeBlock('page.md', 1, '', $language, $code, ''));

        if ($verdict->fault === '' && $verdict->proof === Proof::Read) {
            self::markTestSkipped("The program that reads {$language} is not installed.");
        }

        self::assertStringContainsString($fault, $verdict->fault);
    }

    #[Test]
    #[TestWith(['php', "'api-events' => ['sink' => 'database'],\n"])]
    #[TestWith(['php', "public function handle(\\Illuminate\\Http\\Request \$request): void\n{\n}\n"])]
    #[TestWith(['php', "use Headroom\\Laravel\\Facades\\Buffer;\n\nBuffer::bucket('a')->add(['b' => 1]);\n"])]
    #[TestWith(['json', "{\"a\": [1, …], …}\n"])]
    #[TestWith(['json', "{\"a\": 1}\n{\"a\": 2}\n"])]
    #[TestWith(['shell', "\$CREATE_RELEASE()\ncd \$FORGE_RELEASE_DIRECTORY\n"])]
    #[TestWith(['cron', "* * * * * cd /path && php artisan schedule:run\n"])]
    public function a_block_that_is_right_is_checked(string $language, string $code): void
    {
        $verdict = $this->languages()->check(new CodeBlock('page.md', 1, '', $language, $code, ''));

        self::assertEquals(Verdict::checked(), $verdict);
        self::assertSame(Proof::Checked, $verdict->proof);
    }

    private function languages(): Languages
    {
        return new Languages(new PhpNames(Pages::classes()), new OutsidePrograms($this->directory));
    }
}
