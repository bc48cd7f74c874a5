<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Preload\Observation;

use Headroom\Host\TemporaryDirectory;
use Headroom\Preload\Observation\InvalidPages;
use Headroom\Preload\Observation\PageFile;
use Headroom\Preload\Page;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

final class PageFileTest extends TestCase
{
    private TemporaryDirectory $directory;

    protected function setUp(): void
    {
        $this->directory = TemporaryDirectory::create('pages');
    }

    protected function tearDown(): void
    {
        $this->directory->remove();
    }

    /** @return iterable<string, array{string, Page}> */
    public static function requests(): iterable
    {
        yield 'a path' => ['/', new Page('GET', '/')];
        yield 'a path with a query' => ['/posts?page=2&q=a%20b', new Page('GET', '/posts?page=2&q=a%20b')];
        yield 'a method' => ['HEAD /posts', new Page('HEAD', '/posts')];
        yield 'a method in small letters' => ["delete\t/posts/5", new Page('DELETE', '/posts/5')];
        yield 'a body of JSON' => ['POST /posts {"title": "A b"}', new Page('POST', '/posts', '{"title": "A b"}', 'application/json')];
        yield 'a list of JSON' => ['PUT /posts [1, 2]', new Page('PUT', '/posts', '[1, 2]', 'application/json')];
        yield 'a body of a form' => ['PATCH /posts a=b&c=d', new Page('PATCH', '/posts', 'a=b&c=d', 'application/x-www-form-urlencoded')];
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
            [new Page('GET', '/b', weight: 2), new Page('GET', '/a'), new Page('POST', '/a', 'x=1', 'application/x-www-form-urlencoded'), new Page('POST', '/a', 'x=2', 'application/x-www-form-urlencoded')],
            PageFile::read($file),
        );
    }

    #[Test]
    #[TestWith(['posts', "it begins neither with a path nor with a known method, but with 'posts'"])]
    #[TestWith(['TRACE /posts', "it begins neither with a path nor with a known method, but with 'TRACE'"])]
    #[TestWith(['POST', 'its path does not begin with a slash'])]
    #[TestWith(['POST posts', 'its path does not begin with a slash'])]
    #[TestWith(['GET ftp://example.com/', 'its path does not begin with a slash'])]
    #[TestWith(['/my posts', 'a GET has no body, and a blank in a path is written %20'])]
    #[TestWith(['HEAD /posts a=b', 'a HEAD has no body, and a blank in a path is written %20'])]
    #[TestWith(["/po\x01sts", 'its path has a control character'])]
    public function a_line_that_is_none_is_told_with_its_number(string $line, string $wrong): void
    {
        $file = $this->directory->write('pages', "/\n\n{$line}\n");

        try {
            PageFile::read($file);
            self::fail('It was taken.');
        } catch (InvalidPages $e) {
            $seen = str_replace("\x01", '\x01', $line);
            self::assertSame("{$file}, line 3: {$wrong}; seen: '{$seen}'. Allowed are /path?query, METHOD /path, and METHOD /path BODY for POST, PUT, PATCH and DELETE; METHOD is GET, HEAD, POST, PUT, PATCH, DELETE.", $e->getMessage());
        }
    }

    #[Test]
    public function a_file_that_is_empty_or_gone_or_a_directory_is_told(): void
    {
        foreach ([
            $this->directory->write('pages', "# nothing\n") => 'has no request, only blank lines and comments',
            $this->directory->file('gone') => 'can not be read: No such file or directory',
            $this->directory->path => 'can not be read: it is a directory',
        ] as $file => $message) {
            try {
                PageFile::read($file);
                self::fail("{$file} was taken.");
            } catch (InvalidPages $e) {
                self::assertStringStartsWith("{$file} {$message}", $e->getMessage());
            }
        }
    }

    #[Test]
    public function a_file_that_is_too_large_is_not_read(): void
    {
        $this->expectException(InvalidPages::class);
        $this->expectExceptionMessage('is larger than 8388608 bytes');
        PageFile::read($this->directory->write('pages', str_repeat("/a\n", 3_000_000)));
    }
}
