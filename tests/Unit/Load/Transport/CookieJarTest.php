<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Load\Transport;

use Headroom\Load\Target;
use Headroom\Load\Transport\CookieJar;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class CookieJarTest extends TestCase
{
    private const NOW = 1_800_000_000;

    private const PAST = 'Sun, 06 Nov 1994 08:49:37 GMT';

    private const FUTURE = 'Sun, 06-Nov-2044 08:49:37 GMT';

    /**
     * @return iterable<string, array{string, list<string>, string, string}> where it was set, how, who asks,
     *     and what is sent there
     */
    public static function cookies(): iterable
    {
        yield from self::pairs();
        yield from self::domains();
        yield from self::paths();
        yield from self::ends();
        yield from self::several();
    }

    /** @return iterable<string, array{string, list<string>, string, string}> */
    private static function pairs(): iterable
    {
        foreach ([
            'a=b' => 'a=b',
            ' a = b c ; x' => 'a=b c',
            "\ta\t=\tb\t" => 'a=b',
            'a=' => 'a=',
            'a=b=c==' => 'a=b=c==',
            'a="b c"' => 'a="b c"',
            'laravel_session=eyJpdiI6%3D; HttpOnly; SameSite=lax' => 'laravel_session=eyJpdiI6%3D',
            'a' => '',
            '=b' => '',
            ' =b' => '',
            '' => '',
            '; Path=/' => '',
            "a=b\x01c" => '',
            "a=b; Path=\x7f" => '',
            'a[b]{c}@"=d' => 'a[b]{c}@"=d',
            "a=\xc3\xa4" => "a=\xc3\xa4",
        ] as $text => $sent) {
            yield addcslashes("'{$text}'", "\0..\37\177..\377") => [
                'http://example.com/', [$text], 'http://example.com/', $sent,
            ];
        }

        $largest = 'a='.str_repeat('b', 4_094);

        yield 'the largest' => ['http://example.com/', [$largest], 'http://example.com/', $largest];
        yield 'one too large' => ['http://example.com/', ["{$largest}b"], 'http://example.com/', ''];
        yield 'names differ by case' => ['http://example.com/', ['a=1', 'A=2'], 'http://example.com/', 'a=1; A=2'];
    }

    /** @return iterable<string, array{string, list<string>, string, string}> */
    private static function domains(): iterable
    {
        foreach ([
            ['example.com', 'a=b', 'example.com', true],
            ['example.com', 'a=b', 'EXAMPLE.com', true],
            ['example.com', 'a=b', 'www.example.com', false],
            ['example.com', 'a=b; Domain=', 'www.example.com', false],
            ['example.com', 'a=b; Domain=example.com', 'www.example.com', true],
            ['example.com', 'a=b; Domain=example.com; Domain=', 'www.example.com', true],
            ['example.com', 'a=b; domain=.Example.COM', 'x.www.example.com', true],
            ['example.com', 'a=b; Domain=example.com', 'badexample.com', false],
            ['www.example.com', 'a=b; Domain=example.com', 'example.com', true],
            ['www.example.com', 'a=b; Domain=example.com', 'api.example.com', true],
            ['example.com', 'a=b; Domain=www.example.com', 'www.example.com', false],
            ['example.com', 'a=b; Domain=other.com', 'other.com', false],
            ['example.com', 'a=b; Domain=other.com', 'example.com', false],
            ['example.com', 'a=b; Domain=com', 'example.com', false],
            ['example.com', 'a=b; Domain=.com', 'other.com', false],
            ['badexample.com', 'a=b; Domain=example.com', 'badexample.com', false],
            ['localhost', 'a=b; Domain=localhost', 'localhost', true],
            ['127.0.0.1', 'a=b', '127.0.0.1', true],
            ['127.0.0.1', 'a=b; Domain=127.0.0.1', '127.0.0.1', true],
            ['127.0.0.1', 'a=b; Domain=0.0.1', '127.0.0.1', false],
            ['127.0.0.1', 'a=b', '127.0.0.2', false],
            ['[::1]', 'a=b', '[::1]', true],
            ['example.com:8080', 'a=b', 'example.com:9090', true],
        ] as [$from, $text, $to, $isSent]) {
            yield "{$from}: '{$text}' to {$to}" => ["http://{$from}/", [$text], "http://{$to}/", $isSent ? 'a=b' : ''];
        }

        yield 'secure from a host without TLS' => ['http://example.com/', ['a=b; Secure'], 'https://example.com/', ''];
        yield 'secure from one with TLS' => ['https://example.com/', ['a=b; secure'], 'https://example.com/', 'a=b'];
        yield 'secure to one without' => ['https://example.com/', ['a=b; SECURE=0'], 'http://example.com/', ''];
        yield 'not secure to one without' => ['https://example.com/', ['a=b; XSecure'], 'http://example.com/', 'a=b'];
        yield 'secure on this machine' => ['http://127.0.0.1/', ['a=b; Secure'], 'http://127.0.0.1/', 'a=b'];
    }

    /** @return iterable<string, array{string, list<string>, string, string}> */
    private static function paths(): iterable
    {
        foreach ([
            ['/', 'a=b', '/x/y', true],
            ['/x', 'a=b', '/', true],
            ['/x/', 'a=b', '/', false],
            ['/x/', 'a=b', '/x', true],
            ['/x/y', 'a=b', '/x', true],
            ['/x/y', 'a=b', '/x/', true],
            ['/x/y', 'a=b', '/x/z?q', true],
            ['/x/y', 'a=b', '/xx', false],
            ['/x/y?a=/b/c', 'a=b', '/x/z', true],
            ['/x/y/', 'a=b', '/x/z', false],
            ['/x/y', 'a=b; Path=', '/x/z', true],
            ['/x/y', 'a=b; Path=z', '/x/z', true],
            ['/x/y', 'a=b; Path=z', '/', false],
            ['/x/y', 'a=b; Path=/', '/', true],
            ['/x/y', 'a=b; path = /z', '/z', true],
            ['/x/y', 'a=b; Path=/q; Path=/z', '/z', true],
            ['/x/y', 'a=b; Path=/q; Path=/z', '/q', false],
            ['/', 'a=b; Path=/z', '/z/', true],
            ['/', 'a=b; Path=/z', '/z?x=1', true],
            ['/', 'a=b; Path=/z/', '/z/x', true],
            ['/', 'a=b; Path=/z/', '/z', false],
            ['/', 'a=b; Path=/z//', '/z/x', false],
            ['/', 'a=b; Path=//', '/z', false],
            ['/', 'a=b; Path=/Z', '/z', false],
            ['?x', 'a=b', '/z', true],
        ] as [$from, $text, $to, $isSent]) {
            yield "{$from}: '{$text}' to {$to}" => [
                "http://example.com{$from}", [$text], "http://example.com{$to}", $isSent ? 'a=b' : '',
            ];
        }
    }

    /** @return iterable<string, array{string, list<string>, string, string}> */
    private static function ends(): iterable
    {
        foreach ([
            'Expires='.self::PAST => false,
            'Expires='.self::FUTURE => true,
            'expires = Sun Nov  6 08:49:37 2044' => true,
            'Expires=-1' => true,
            'Expires=tomorrow' => true,
            'Expires=' => true,
            'Expires='.self::PAST.'; Expires=0' => false,
            'Max-Age=1' => true,
            'Max-Age=0' => false,
            'Max-Age=-1' => false,
            'Max-Age=99999999999999999999999' => true,
            'Max-Age=-99999999999999999999999' => false,
            'Max-Age=99999999999999999999999; Expires='.self::PAST => true,
            'Max-Age=1; Expires='.self::PAST => true,
            'Expires='.self::FUTURE.'; Max-Age=0' => false,
            'Max-Age=x; Expires='.self::PAST => false,
            'Max-Age=; Expires='.self::FUTURE => true,
            'Max-Age=0; Max-Age=5' => true,
            'Max-Age=0; Max-Age=x' => false,
        ] as $end => $isSent) {
            yield "'{$end}'" => ['http://example.com/', ["a=b; {$end}"], 'http://example.com/', $isSent ? 'a=b' : ''];
        }
    }

    /** @return iterable<string, array{string, list<string>, string, string}> */
    private static function several(): iterable
    {
        yield 'in their order' => self::of(['b=1', 'a=2', 'c=3'], 'b=1; a=2; c=3');
        yield 'longer paths first' => self::of(
            ['a=1; Path=/', 'b=2; Path=/x', 'c=3; Path=/', 'd=4; Path=/x/z'],
            'd=4; b=2; a=1; c=3',
        );
        yield 'replaced where it was' => self::of(['a=1', 'b=2', 'a=3'], 'a=3; b=2');
        yield 'the same name elsewhere' => self::of(
            ['a=1; Path=/', 'a=2; Path=/x', 'a=3; Domain=example.com; Path=/'],
            'a=2; a=3',
        );
        yield 'taken back' => self::of(['a=1', 'b=2', 'a=; Max-Age=0'], 'b=2');
        yield 'taken back and set again' => self::of(['a=1', 'b=2', 'a=; Expires='.self::PAST, 'a=3'], 'b=2; a=3');
        yield 'another one taken back' => self::of(['a=1', 'a=; Path=/; Max-Age=0'], 'a=1');
        yield 'a bad one replaces nothing' => self::of(['a=1', "a=\x02"], 'a=1');
        yield 'the oldest are lost' => self::of(
            array_map(static fn (int $n): string => "c{$n}=x", range(1, 183)),
            implode('; ', array_map(static fn (int $n): string => "c{$n}=x", range(4, 183))),
        );
    }

    /**
     * @param list<string> $texts
     * @return array{string, list<string>, string, string}
     */
    private static function of(array $texts, string $sent): array
    {
        return ['http://example.com/x/y', $texts, 'http://example.com/x/z', $sent];
    }

    /** @param list<string> $cookies */
    #[Test]
    #[DataProvider('cookies')]
    public function a_cookie_is_sent_where_it_belongs(string $from, array $cookies, string $to, string $sent): void
    {
        $jar = new CookieJar(new SetClock(self::NOW));

        foreach ($cookies as $cookie) {
            $jar->take("HTTP/1.1 200 OK\r\nset-Cookie:{$cookie}\r\n\r\n", Target::fromUrl($from));
        }

        self::assertSame($sent, $jar->header(Target::fromUrl($to)));
    }

    #[Test]
    public function several_of_one_answer_are_taken(): void
    {
        $jar = new CookieJar(new SetClock(self::NOW));
        $target = Target::fromUrl('http://example.com/');
        $jar->take(
            "HTTP/1.1 200 Set-Cookie: no=1\nSet-Cookie: a=1\nX-Set-Cookie:"
                ." no=2\r\nSET-COOKIE:b=2\r\nSet-Cookie2: no=3\n\n",
            $target,
        );

        self::assertSame('a=1; b=2', $jar->header($target));
    }

    #[Test]
    public function one_is_over_when_its_time_has_come(): void
    {
        $clock = new SetClock(self::NOW);
        $jar = new CookieJar($clock);
        $target = Target::fromUrl('http://example.com/');
        $jar->take(
            "HTTP/1.1 200 OK\r\nSet-Cookie: a=1; Max-Age=10\r\nSet-Cookie: b=2; Expires="
                .gmdate(DATE_COOKIE, self::NOW + 20)."\r\nSet-Cookie: c=3\r\n\r\n",
            $target,
        );
        $sent = [];

        foreach ([9, 10, 19, 20] as $later) {
            $clock->seconds = self::NOW + $later;
            $sent[] = $jar->header($target);
        }

        self::assertSame(['a=1; b=2; c=3', 'b=2; c=3', 'b=2; c=3', 'c=3'], $sent);
    }

    #[Test]
    public function those_that_are_over_are_lost_before_others(): void
    {
        $clock = new SetClock(self::NOW);
        $jar = new CookieJar($clock);
        $target = Target::fromUrl('http://example.com/');
        $jar->take("HTTP/1.1 200 OK\r\nSet-Cookie: session=1\r\n\r\n", $target);

        for ($number = 0; $number < 500; $number++) {
            $clock->seconds++;
            $jar->take("HTTP/1.1 200 OK\r\nSet-Cookie: flash{$number}=1; Max-Age=1\r\n\r\n", $target);
        }

        self::assertSame('session=1; flash499=1', $jar->header($target));
    }

    #[Test]
    public function a_cleared_one_is_empty(): void
    {
        $jar = new CookieJar(new SetClock(self::NOW));
        $target = Target::fromUrl('http://example.com/');
        $jar->take("HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\n\r\n", $target);
        $jar->clear();

        self::assertSame('', $jar->header($target));
    }
}
