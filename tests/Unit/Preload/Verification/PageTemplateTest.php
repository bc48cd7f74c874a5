<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Preload\Verification;

use Headroom\Preload\Verification\PageTemplate;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class PageTemplateTest extends TestCase
{
    /**
     * @param list<string> $seen
     * @param list<string> $fits
     * @param list<string> $differs
     */
    #[Test]
    #[DataProvider('pages')]
    public function parts_that_change_by_themselves_may_change_and_nothing_else(
        array $seen,
        array $fits,
        array $differs,
    ): void {
        $template = self::of($seen);

        foreach ([...$seen, ...$fits] as $body) {
            self::assertTrue($template->fits($body), $body);
        }

        foreach ($differs as $body) {
            self::assertFalse($template->fits($body), $body);
        }
    }

    /** @return iterable<string, array{list<string>, list<string>, list<string>}> */
    public static function pages(): iterable
    {
        yield 'one answer' => [
            ['<p>Hello</p>'],
            [],
            ['', '<p>Hello</p> ', ' <p>Hello</p>', '<p>Hallo</p>', '<p>Hello'],
        ];
        yield 'a token' => [
            ['<i value="abc"><p>text', '<i value="x_1"><p>text'],
            ['<i value="zzz"><p>text', '<i value="a-b c"><p>text'],
            ['<i value="abc"><p>Text', '<i value="abc"><p>text.', '<i value="abc">', 'value="abc"><p>text'],
        ];
        yield 'a gap in front' => [
            ['12 visitors so far', '7 visitors so far'],
            ['900 visitors so far', ' visitors so far'],
            ['12 visitors', '12 visitors so far.'],
        ];
        yield 'a gap behind' => [
            ['the time is 12', 'the time is 13'],
            ['the time is ', 'the time is anything'],
            ['the time', 'a the time is 12'],
        ];
        yield 'gaps at both ends' => [['1 of the many 2', '3 of the many 4'], ['x of the many y'], ['1 of many 2', '']];
        yield 'something more at the end' => [
            ['all of it', 'all of it and more'],
            ['all of it', 'all of it?'],
            ['all of i', 'of it'],
        ];
        yield 'something that comes and goes' => [
            ['head and tail', 'head, body and tail'],
            ['head xyz and tail'],
            ['head and', 'head, tail'],
        ];
        yield 'the end does not count twice' => [['aba-1-aba', 'aba-2-aba'], ['aba-3-aba'], ['aba-aba', 'aba--ab']];
        yield 'no answer at all, and then one' => [['', 'x'], ['anything'], []];
        yield 'bytes of an image' => [
            ["\x89PNG\r\n\0\xff\xfe\1\2\3", "\x89PNG\r\n\0\xff\xfd\1\2\3"],
            ["\x89PNG\r\n\0\xff\0\1\2\3"],
            ["\x89PNG\r\n\0\xfe\xfe\1\2\3", "\x89PNG\n\0\xff\xfe\1\2\3"],
        ];
    }

    #[Test]
    public function a_body_that_fitted_once_always_fits(): void
    {
        mt_srand(4711);

        for ($i = 0; $i < 500; $i++) {
            $template = PageTemplate::of(self::random());
            $seen = [];

            for ($j = 0; $j < 4; $j++) {
                $body = self::random();
                $next = $template->with($body);

                if ($next === null) {
                    continue;
                }

                $seen[] = $body;
                $template = $next;

                foreach ($seen as $one) {
                    self::assertTrue($template->fits($one), implode("\n", $seen));
                    self::assertSame($template, $template->with($one));
                }
            }
        }
    }

    #[Test]
    public function of_answers_with_less_than_half_in_common_nothing_is_said(): void
    {
        self::assertNull(PageTemplate::of('abc def ghi')->with('xyz'));
        self::assertNull(PageTemplate::of('aaaaa bbbbb')->with('ccccc ddddd'));
        self::assertNull(self::of(['aaaaaaa bbbbb', 'aaaaaaa ddddd'])->with('x ddddd'));
        self::assertNull(
            PageTemplate::of(implode(' ', range(1, 2_000)))->with(implode(' ', range(3_001, 5_000))),
            'They differ in more than is looked at.',
        );
    }

    #[Test]
    public function a_difference_is_shown_where_it_begins(): void
    {
        $template = self::of(['<b>1</b> some text and some more', '<b>2</b> some text and some more']);

        $long = str_repeat('a', 20);

        self::assertSame(
            ['<b>', '<i>1</b> some text and some more'],
            self::quoted($template->difference('<i>1</b> some text and some more')),
        );
        self::assertSame(
            '</b> some text and some more',
            self::quoted($template->difference('<b>3</b> some text and no more'))[0],
        );
        self::assertSame(['...!'], self::quoted($template->difference('<b>3</b> some text and some more!')));
        self::assertSame(
            ["...{$long}b", "...{$long}c"],
            self::quoted(PageTemplate::of(str_repeat('a', 90).'b')->difference(str_repeat('a', 90).'c')),
        );
        self::assertTrue(mb_check_encoding(PageTemplate::of("\xff\xfe\0")->difference("\xff\xfd"), 'UTF-8'));
    }

    /** @return list<string> what was expected, and what was seen */
    private static function quoted(string $departure): array
    {
        preg_match_all('/"(.*?)"/s', $departure, $found);

        return $found[1];
    }

    /** @param list<string> $bodies */
    private static function of(array $bodies): PageTemplate
    {
        $template = PageTemplate::of((string) array_shift($bodies));

        foreach ($bodies as $body) {
            $template = $template->with($body) ?? self::fail('They have too little in common.');
        }

        return $template;
    }

    private static function random(): string
    {
        $body = '';

        for ($i = mt_rand(0, 12); $i > 0; $i--) {
            $body .= ['a', 'b', 'ab', ' ', '-', 'a b'][mt_rand(0, 5)];
        }

        return $body;
    }
}
