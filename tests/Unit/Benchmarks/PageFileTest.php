<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Benchmarks;

use Exception;
use Headroom\Bench\Results\UnableToReadResults;
use Headroom\Benchmarks\PageFile;
use Headroom\Process\TemporaryDirectory;
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

        self::assertSame(
            $this->directory->file('some.html'),
            PageFile::beside($results, static fn (): string => 'new'),
        );
        self::assertStringEqualsFile($this->directory->file('some.html'), 'new');
        self::assertSame(['some.html', 'some.json'], $this->files());
    }

    #[Test]
    #[DataProvider('undrawn')]
    public function a_page_that_cannot_be_drawn_names_the_results_and_leaves_the_old_page(Exception $failure): void
    {
        $results = $this->directory->write('some.json', '{}');
        $this->directory->write('some.html', 'old');

        try {
            PageFile::beside($results, static fn (): string => throw $failure);
            self::fail('It was drawn.');
        } catch (UnableToReadResults $e) {
            self::assertEquals(UnableToReadResults::notDrawn($results, $failure->getMessage()), $e);
        }

        self::assertStringEqualsFile($this->directory->file('some.html'), 'old');
        self::assertSame(['some.html', 'some.json'], $this->files());
    }

    /** @return iterable<string, array{Exception}> */
    public static function undrawn(): iterable
    {
        yield 'an id twice' => [InvalidPage::twice('redis')];
        yield 'a number that JSON has not' => [new JsonException('Inf and NaN cannot be JSON encoded')];
    }

    #[Test]
    public function a_page_that_cannot_be_written_leaves_no_half_file(): void
    {
        $results = $this->directory->write('some.json', '{}');
        mkdir($this->directory->file('some.html'));

        try {
            PageFile::beside($results, static fn (): string => 'new');
            self::fail('It was written.');
        } catch (RuntimeException $e) {
            self::assertStringContainsString($this->directory->file('some.html'), $e->getMessage());
            self::assertStringContainsString('Is a directory', $e->getMessage());
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
