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
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * A page that does not work is seen: what FollowedPagesTest would miss, a reader would meet.
 */
final class WrongPagesTest extends TestCase
{
    /** Of the fault of each block of that page. */
    private const WORDS = [
        'of a fragment', 'bucket-that-is-not-there', 'The page shows', 'no such line', 'databose', 'Show the class',
        'false is true', 'is in another file',
    ];

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

    #[Test]
    public function a_block_that_does_not_work_is_a_fault(): void
    {
        $verdicts = $this->follow((string) file_get_contents(__DIR__.'/../fixtures/wrong-page.md'));
        self::assertCount(count(self::WORDS), $verdicts);

        foreach ($verdicts as $number => $verdict) {
            self::assertStringContainsString(self::WORDS[$number], $verdict->fault);
        }
    }

    #[Test]
    public function commands_that_a_stand_in_takes_are_only_checked(): void
    {
        self::assertEquals([Verdict::checked()], $this->follow("```shell\nsystemctl reload nginx\n```\n"));
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

            Buffer::bucket('api-events')->addMany([['event' => 'no user'], ['user_id' => 7, 'event' => 'a']]);
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
