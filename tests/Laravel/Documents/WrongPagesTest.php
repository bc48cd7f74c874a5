<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel\Documents;

use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Support\Documents\Languages;
use Headroom\Tests\Support\Documents\OutsidePrograms;
use Headroom\Tests\Support\Documents\PhpNames;
use Headroom\Tests\Support\Documents\Verdict;
use Headroom\Tests\Support\Markdown\MarkdownPage;
use PHPUnit\Framework\AssertionFailedError;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * A page that does not work is seen: what FollowedPagesTest would miss, a reader would meet.
 */
final class WrongPagesTest extends TestCase
{
    private TemporaryDirectory $directory;

    private ?DocumentedApplication $application = null;

    protected function setUp(): void
    {
        $this->directory = TemporaryDirectory::create('documents');
    }

    protected function tearDown(): void
    {
        $this->application?->close();
        $this->directory->remove();
    }

    /** @return iterable<string, array{string, list<string>}> a page and a word of the fault of each of its blocks */
    public static function pages(): iterable
    {
        yield 'blocks that fail, each for itself' => [
            <<<'MD'
                ```php
                throw new RuntimeException('of a fragment');
                ```

                ```shell
                php artisan spool:status --bucket-that-is-not-there
                ```

                ```text
                api-events: nothing like that
                ```

                ```text
                $ php artisan spool:status
                no such line
                ```

                ```php
                // config/spool.php, in 'buckets'
                'wrong' => ['sink' => 'databose', 'table' => 'wrong'],
                ```

                ```php
                public function handle(): void {}
                ```

                ```php
                // tests/Feature/WrongTest.php
                namespace Tests\Feature;

                use Tests\TestCase;

                final class WrongTest extends TestCase
                {
                    public function test_it(): void
                    {
                        $this->assertTrue(false);
                    }
                }
                ```

                ```php
                // app/Models/Misplaced.php
                namespace App\Http;

                final class Misplaced {}
                ```
                MD,
            [
                'of a fragment', 'bucket-that-is-not-there', 'The page shows', 'no such line', 'databose',
                'Show the class', 'false is true', 'is in another file',
            ],
        ];
        yield 'a block of commands that a stand-in takes' => ["```shell\nsystemctl reload nginx\n```\n", ['']];
    }

    /** @param list<string> $words */
    #[Test]
    #[DataProvider('pages')]
    public function a_block_that_does_not_work_is_a_fault(string $page, array $words): void
    {
        $verdicts = $this->follow($page);
        self::assertCount(count($words), $verdicts);

        foreach ($verdicts as $number => $verdict) {
            self::assertStringContainsString($words[$number], $verdict->fault);
            self::assertSame($words[$number] === '', $verdict->fault === '');
        }
    }

    #[Test]
    public function a_route_that_answers_with_an_error_is_a_fault(): void
    {
        $this->expectException(AssertionFailedError::class);
        $this->expectExceptionMessage('GET api/wrong: 500');

        $this->follow(<<<'MD'
            ```php
            // routes/api.php
            use Illuminate\Support\Facades\Route;

            Route::get('/wrong', fn () => throw new RuntimeException('wrong'));
            ```
            MD);
    }

    #[Test]
    public function an_event_that_its_table_refuses_is_a_fault(): void
    {
        $this->expectException(AssertionFailedError::class);
        $this->expectExceptionMessage('NOT NULL');

        $this->follow(<<<'MD'
            ```php
            use Headroom\Laravel\Facades\Buffer;

            Buffer::bucket('api-events')->addMany([['user_id' => 7, 'event' => 'a'], ['user_id' => 7, 'event' => null]]);
            ```
            MD);
    }

    /** @return list<Verdict> */
    private function follow(string $page): array
    {
        $this->application = DocumentedApplication::create(usesRedis: false);
        $languages = new Languages(new PhpNames([]), new OutsidePrograms($this->directory));
        $blocks = MarkdownPage::fromText('page.md', $page)->blocks();

        return (new FollowedPage($this->application, $languages, $blocks, []))->follow();
    }
}
