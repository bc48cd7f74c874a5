<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Host\AccessLog;

use Headroom\Host\AccessLog\AccessLogEntry;
use Headroom\Host\AccessLog\AccessLogReader;
use Headroom\Host\AccessLog\Unparsed;
use Headroom\Host\AccessLog\UnparsedReason;
use Headroom\Host\Log\LineReader;
use Headroom\Host\Log\LogFile;
use Headroom\Tests\Acceptance\AccessLog\AccessLog;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class AccessLogReaderTest extends TestCase
{
    private const COMBINED = '203.0.113.9 - - [14/Mar/2026:09:41:07 +0100] "GET /a?b=c HTTP/1.1" 200 512'
        .' "https://shop.test/" "Mozilla/5.0 (X11)"';

    #[Test]
    public function a_combined_line_has_all_its_parts(): void
    {
        $entry = self::entry(self::COMBINED);

        self::assertSame(
            [
                '203.0.113.9',
                null,
                gmmktime(8, 41, 7, 3, 14, 2026),
                'GET',
                '/a?b=c',
                'HTTP/1.1',
                200,
                512,
                'https://shop.test/',
                'Mozilla/5.0 (X11)',
                null,
            ],
            [
                $entry->client,
                $entry->user,
                $entry->time,
                $entry->method,
                $entry->target,
                $entry->protocol,
                $entry->status,
                $entry->bytes,
                $entry->referer,
                $entry->agent,
                $entry->timings->request,
            ],
        );
    }

    /** @return iterable<string, array{string, array<string, mixed>}> line, what it must have */
    public static function lines(): iterable
    {
        $with = static fn (string $from, string $to): string => str_replace($from, $to, self::COMBINED);

        yield 'common' => [
            substr(self::COMBINED, 0, (int) strpos(self::COMBINED, ' "https')),
            ['status' => 200, 'referer' => null, 'agent' => null],
        ];
        yield 'IPv6' => [$with('203.0.113.9', '2001:db8::1'), ['client' => '2001:db8::1']];
        yield 'user with a blank' => [$with('- - [', '- Bob B. ['), ['user' => 'Bob B.']];
        yield 'nothing given' => [
            $with('200 512 "https://shop.test/" "Mozilla/5.0 (X11)"', '- - "-" "-"'),
            ['status' => null, 'bytes' => null, 'referer' => null, 'agent' => null],
        ];
        yield 'no request' => [$with('GET /a?b=c HTTP/1.1', '-'), ['method' => null, 'target' => null]];
        yield 'empty request' => [$with('GET /a?b=c HTTP/1.1', ''), ['method' => null]];
        yield 'TLS on a plain port' => [$with('GET /a?b=c HTTP/1.1', '\x16\x03\x01\x02'), ['method' => null]];
        yield 'HTTP/0.9' => [
            $with('GET /a?b=c HTTP/1.1', 'GET /a'), ['method' => 'GET', 'target' => '/a', 'protocol' => null],
        ];
        yield 'HTTP/2' => [$with('HTTP/1.1', 'HTTP/2.0'), ['protocol' => 'HTTP/2.0']];
        yield 'blank in the target' => [$with('/a?b=c', '/a b'), ['target' => '/a b', 'protocol' => 'HTTP/1.1']];
        yield 'quote as nginx writes it' => [$with('/a?b=c', '/a\x22b\x5C\xC3\xA4'), ['target' => "/a\"b\\\u{e4}"]];
        yield 'quote as Apache writes it' => [
            $with('Mozilla/5.0 (X11)', 'say \"hi\" \\\\ \t'), ['agent' => "say \"hi\" \\ \t"],
        ];
        yield 'a bracket where it is allowed' => [$with('/a?b=c', '/a[0]'), ['target' => '/a[0]']];
        yield 'west of Greenwich' => [$with('+0100', '-0330'), ['time' => gmmktime(13, 11, 7, 3, 14, 2026)]];
        yield 'leap second' => [$with('09:41:07', '09:41:60'), ['time' => gmmktime(8, 42, 0, 3, 14, 2026)]];
    }

    /** @param array<string, mixed> $expected */
    #[Test]
    #[DataProvider('lines')]
    public function lines_of_both_servers_are_read(string $line, array $expected): void
    {
        $entry = get_object_vars(self::entry($line));

        self::assertSame($expected, array_intersect_key(array_replace($expected, $entry), $expected));
    }

    /**
     * @return iterable<string, array{string, array{?float, ?float, ?float, ?float}}> what follows a line; request,
     *     connect, header, response
     */
    public static function timings(): iterable
    {
        yield 'two numbers' => ['0.123 0.120', [0.123, null, null, 0.12]];
        yield 'two numbers behind an address' => ['"-" 0.123 0.120', [0.123, null, null, 0.12]];
        yield 'no upstream' => ['0.123 -', [0.123, null, null, null]];
        yield 'names' => ['rt=0.5 uct=0.001 uht=0.4 urt=0.45', [0.5, 0.001, 0.4, 0.45]];
        yield 'names and quotes' => ['rt=0.5 uct="0.001" uht="-" urt="0.1, 0.2"', [0.5, 0.001, null, 0.1 + 0.2]];
        yield 'long names in another order' => [
            'upstream_response_time=0.2 host=shop.test request_time=0.3', [0.3, null, null, 0.2],
        ];
        yield 'several servers, and one that did not answer' => ['0.9 0.500, 0.250 : 0.125', [0.9, null, null, 0.875]];
        yield 'not reached and then reached' => ['rt=1.0 urt=-, 0.5', [1.0, null, null, 0.5]];
        yield 'a number without a point may be anything' => ['12345', [null, null, null, null]];
        yield 'rubbish' => ['"" = rt= rt=abc ,,, "', [null, null, null, null]];
    }

    /** @param array{?float, ?float, ?float, ?float} $expected */
    #[Test]
    #[DataProvider('timings')]
    public function times_behind_the_line_are_read(string $rest, array $expected): void
    {
        $timings = self::entry(self::COMBINED." {$rest}")->timings;

        self::assertSame(
            $expected,
            [$timings->request, $timings->upstreamConnect, $timings->upstreamHeader, $timings->upstreamResponse],
        );
    }

    /** @return iterable<string, array{string, UnparsedReason}> */
    public static function unparsed(): iterable
    {
        yield 'empty' => ['', UnparsedReason::Empty];
        yield 'other' => ['2026/03/14 09:41:07 [error] 1#1: x', UnparsedReason::NotAccessLog];
        yield 'cut in a quote' => [substr(self::COMBINED, 0, -5), UnparsedReason::OpenQuote];
        yield 'cut behind a quote' => [
            substr(self::COMBINED, 0, (int) strpos(self::COMBINED, ' "Moz')), UnparsedReason::NotAccessLog,
        ];
        yield 'no such day' => [str_replace('14/Mar', '31/Feb', self::COMBINED), UnparsedReason::InvalidDate];
        yield 'no such month' => [str_replace('14/Mar', '14/Mrz', self::COMBINED), UnparsedReason::InvalidDate];
        yield 'no such hour' => [str_replace(':09:41', ':24:41', self::COMBINED), UnparsedReason::InvalidDate];
        yield 'too long' => [
            str_replace('/a?', '/'.str_repeat('a', LineReader::LONGEST), self::COMBINED), UnparsedReason::TooLong,
        ];
    }

    #[Test]
    #[DataProvider('unparsed')]
    public function other_lines_are_named_with_their_fault(string $line, UnparsedReason $reason): void
    {
        $entries = self::all([self::COMBINED, $line]);

        self::assertInstanceOf(AccessLogEntry::class, $entries[0]);
        self::assertInstanceOf(Unparsed::class, $entries[1]);
        self::assertSame([2, $reason], [$entries[1]->line, $entries[1]->reason]);
        self::assertNotSame('', $reason->words());
    }

    #[Test]
    public function a_date_that_was_wrong_does_not_stick(): void
    {
        $wrong = str_replace('14/Mar', '31/Feb', self::COMBINED);
        $entries = self::all([$wrong, self::COMBINED, $wrong, $wrong]);

        self::assertSame(
            [Unparsed::class, AccessLogEntry::class, Unparsed::class, Unparsed::class],
            array_map(get_class(...), $entries),
        );
    }

    #[Test]
    public function a_line_of_quotes_and_backslashes_ends_in_time(): void
    {
        foreach (['"', '\\', '\\"', ' "', '[', '" "'] as $trouble) {
            self::assertCount(
                1,
                self::all(['1.1.1.1 - - [14/Mar/2026:09:41:07 +0100] "'.str_repeat($trouble, 20_000)]),
            );
        }
    }

    #[Test]
    public function of_ten_thousand_real_lines_one_was_cut_off(): void
    {
        AccessLog::isReal()
            || self::markTestSkipped('The access log is not there: it is among the fixtures (HEADROOM_FIXTURES).');
        $entries = [];
        $unparsed = [];

        foreach ((new AccessLogReader)->entries(
            (new LineReader)->lines(LogFile::open(AccessLog::path())->chunks()),
        ) as $entry) {
            $entry instanceof Unparsed ? $unparsed[] = $entry : $entries[] = $entry;
        }

        self::assertSame([9_999, 1], [count($entries), count($unparsed)]);
        self::assertSame([8_899, UnparsedReason::OpenQuote], [$unparsed[0]->line, $unparsed[0]->reason]);
        self::assertSame(
            [],
            array_filter(
                $entries,
                static fn (AccessLogEntry $entry): bool => $entry->method === null || $entry->status === null,
            ),
        );

        // Counted by other means, over all lines but that one.
        $lines = array_diff_key(AccessLog::real(), [8_898 => true]);
        $count = static fn (string $pattern): int
            => count(array_filter($lines, static fn (string $line): bool => preg_match($pattern, $line) === 1));
        self::assertCount(
            $count('/" 404 /'),
            array_filter($entries, static fn (AccessLogEntry $entry): bool => $entry->status === 404),
        );
        self::assertCount(
            $count('/"HEAD /'),
            array_filter($entries, static fn (AccessLogEntry $entry): bool => $entry->method === 'HEAD'),
        );
        self::assertSame(strtotime('17 May 2015 10:05:03 UTC'), $entries[0]->time);
    }

    private static function entry(string $line): AccessLogEntry
    {
        $entry = self::all([$line])[0];
        self::assertInstanceOf(AccessLogEntry::class, $entry, $line);

        return $entry;
    }

    /**
     * @param list<string> $lines
     * @return list<AccessLogEntry|Unparsed>
     */
    private static function all(array $lines): array
    {
        $entries = [];

        foreach ((new AccessLogReader)->entries($lines) as $entry) {
            $entries[] = $entry;
        }

        return $entries;
    }
}
