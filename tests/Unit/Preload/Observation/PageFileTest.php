<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Preload\Observation;

use Headroom\Preload\Observation\InvalidPages;
use Headroom\Preload\Observation\PageFile;
use Headroom\Preload\Page;
use Headroom\Tests\Support\DirectoryTestCase;
use Headroom\Tests\Support\Snapshot;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;

final class PageFileTest extends DirectoryTestCase
{
    /** @return iterable<string, array{string, Page}> */
    public static function requests(): iterable
    {
        yield 'a path' => ['/', new Page('GET', '/')];
        yield 'a path with a query' => ['/posts?page=2&q=a%20b', new Page('GET', '/posts?page=2&q=a%20b')];
        yield 'a method' => ['HEAD /posts', new Page('HEAD', '/posts')];
        yield 'a method in small letters' => ["delete\t/posts/5", new Page('DELETE', '/posts/5')];
        yield 'a body of JSON' => [
            'POST /posts {"title": "A b"}', new Page('POST', '/posts', '{"title": "A b"}', 'application/json'),
        ];
        yield 'a list of JSON' => ['PUT /posts [1, 2]', new Page('PUT', '/posts', '[1, 2]', 'application/json')];
        yield 'a body of a form' => [
            'PATCH /posts a=b&c=d', new Page('PATCH', '/posts', 'a=b&c=d', 'application/x-www-form-urlencoded'),
        ];
        yield 'an address' => ['https://example.com:8443/posts?a=http://b/', new Page('GET', '/posts?a=http://b/')];
        yield 'an address without a path' => ['http://example.com', new Page('GET', '/')];
        yield 'an address with a query alone' => ['GET http://example.com?a=b', new Page('GET', '/?a=b')];
        yield 'a fragment' => ['/posts#top', new Page('GET', '/posts')];
        yield 'blanks around' => ["  /posts \r", new Page('GET', '/posts')];
    }

    #[Test]
    #[DataProvider('requests')]
    public function a_line_is_a_request(string $line, Page $page): void
    {
        self::assertEquals([$page], PageFile::read($this->directory->write('pages', "# mine\n\n{$line}\n")));
    }

    #[Test]
    public function requests_keep_their_order_and_one_that_is_there_twice_weighs_two(): void
    {
        $file = $this->directory->write('pages', "\xEF\xBB\xBF/b\n/a\nPOST /a x=1\n/b\nPOST /a x=2");

        self::assertEquals(
            [
                new Page('GET', '/b', weight: 2),
                new Page('GET', '/a'),
                new Page('POST', '/a', 'x=1', 'application/x-www-form-urlencoded'),
                new Page('POST', '/a', 'x=2', 'application/x-www-form-urlencoded'),
            ],
            PageFile::read($file),
        );
    }

    #[Test]
    #[TestWith(['posts', "'posts'"])]
    #[TestWith(['TRACE /posts', "'TRACE'"])]
    #[TestWith(['POST', "'POST'"])]
    #[TestWith(['POST posts', "'POST posts'"])]
    #[TestWith(['GET ftp://example.com/', "'GET ftp://example.com/'"])]
    #[TestWith(['/my posts', '%20'])]
    #[TestWith(['HEAD /posts a=b', '%20'])]
    #[TestWith(["/po\x01sts", "'/po\\x01sts'"])]
    public function a_line_that_is_not_a_request_is_told_with_its_number(string $line, string $shown): void
    {
        $message = $this->refused($this->directory->write('pages', "/\n\n{$line}\n"));
        $seen = str_replace("\x01", '\x01', $line);

        foreach ([$this->directory->file('pages'), ' 3', "'{$seen}'", $shown, ...PageFile::METHODS] as $part) {
            self::assertStringContainsString($part, $message);
        }
    }

    #[Test]
    #[Group('snapshot')]
    public function each_fault_of_a_line_has_its_words(): void
    {
        $lines = ['TRACE /posts', 'POST posts', '/my posts', "/po\x01sts"];
        $refused = fn (string $line): string => $this->refused($this->directory->write('pages', $line));

        Snapshot::assertPrinted('preload pages', 'faults of lines', implode("\n", array_map($refused, $lines)));
    }

    #[Test]
    public function a_file_that_is_empty_or_gone_or_a_directory_is_told(): void
    {
        $empty = $this->directory->write('pages', "# nothing\n");
        $gone = $this->directory->file('gone');

        self::assertSame(InvalidPages::none($empty)->getMessage(), $this->refused($empty));
        $expected = InvalidPages::unreadable($gone, 'No such file or directory')->getMessage();
        self::assertSame($expected, $this->refused($gone));
        self::assertStringContainsString($this->directory->path, $this->refused($this->directory->path));
    }

    #[Test]
    public function a_file_that_is_too_large_is_not_read(): void
    {
        $file = $this->directory->write('pages', str_repeat("/a\n", 3_000_000));

        $this->expectExceptionObject(InvalidPages::tooLarge($file, 8_388_608));
        PageFile::read($file);
    }

    /** The message about a file that is not taken. */
    private function refused(string $file): string
    {
        try {
            PageFile::read($file);
        } catch (InvalidPages $e) {
            return $e->getMessage();
        }

        self::fail("{$file} was taken.");
    }
}
