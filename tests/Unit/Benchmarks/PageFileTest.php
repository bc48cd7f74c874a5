<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Benchmarks;

use Closure;
use Headroom\Bench\Results\UnableToReadResults;
use Headroom\Benchmarks\PageFile;
use Headroom\Host\TemporaryDirectory;
use Headroom\Report\Page\InvalidPage;
use JsonException;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use RuntimeException;

final class PageFileTest extends TestCase
{
    private TemporaryDirectory $directory;

    protected function setUp(): void
    {
        $this->directory = TemporaryDirectory::create('page-file');
    }

    protected function tearDown(): void
    {
        $this->directory->remove();
    }

    #[Test]
    public function a_page_stands_beside_its_results_and_nothing_else_does(): void
    {
        $results = $this->directory->write('some.json', '{}');

        self::assertSame($this->directory->file('some.html'), PageFile::beside($results, static fn (): string => 'new'));
        self::assertStringEqualsFile($this->directory->file('some.html'), 'new');
        self::assertSame(['some.html', 'some.json'], $this->files());
    }

    /** @param Closure(): string $html */
    #[Test]
    #[DataProvider('undrawn')]
    public function what_can_not_be_drawn_names_the_results_and_leaves_the_page(Closure $html, string $why): void
    {
        $results = $this->directory->write('some.json', '{}');
        $this->directory->write('some.html', 'old');

        try {
            PageFile::beside($results, $html);
            self::fail('It was drawn.');
        } catch (UnableToReadResults $e) {
            self::assertStringStartsWith("No page can be made of {$results}: {$why}", $e->getMessage());
        }

        self::assertStringEqualsFile($this->directory->file('some.html'), 'old');
        self::assertSame(['some.html', 'some.json'], $this->files());
    }

    /** @return iterable<string, array{Closure(): string, string}> */
    public static function undrawn(): iterable
    {
        yield 'a page that is none' => [static fn (): string => throw InvalidPage::twice('redis'), "The id 'redis' is on the page twice."];
        yield 'a number that JSON has not' => [static fn (): string => throw new JsonException('Inf and NaN cannot be JSON encoded'), 'Inf and NaN'];
    }

    #[Test]
    public function what_can_not_be_put_in_its_place_leaves_nothing_half(): void
    {
        $results = $this->directory->write('some.json', '{}');
        mkdir($this->directory->file('some.html'));

        try {
            PageFile::beside($results, static fn (): string => 'new');
            self::fail('It was written.');
        } catch (RuntimeException $e) {
            self::assertStringContainsString('some.html could not be written: Is a directory.', $e->getMessage());
        }

        self::assertSame(['some.html', 'some.json'], $this->files());
    }

    /** @return list<string> */
    private function files(): array
    {
        $files = scandir($this->directory->path);
        self::assertIsArray($files);

        return array_values(array_diff($files, ['.', '..']));
    }
}
