<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Load\Transport;

use Headroom\Load\Transport\CookieDate;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class CookieDateTest extends TestCase
{
    /** @return iterable<string, array{string, ?string}> as written, and when it is */
    public static function dates(): iterable
    {
        foreach ([
            'Sun, 06 Nov 2094 08:49:37 GMT' => '2094-11-06 08:49:37',
            'Sunday, 06-Nov-94 08:49:37 GMT' => '1994-11-06 08:49:37',
            'Sun, 06-Nov-2044 08:49:37 GMT' => '2044-11-06 08:49:37',
            'Sun Nov  6 08:49:37 2044' => '2044-11-06 08:49:37',
            '06 Nov 44 08:49:37' => '2044-11-06 08:49:37',
            '6-nov-69 8:9:7' => '2069-11-06 08:09:07',
            '6 November 70 08:49:37' => '1970-11-06 08:49:37',
            '08:49:37 2044 6 NOV' => '2044-11-06 08:49:37',
            'Mon, 06 Nov 2044 08:49:37 GMT' => '2044-11-06 08:49:37',
            'Sun, 06 Nov 2044 08:49:37 +0900' => '2044-11-06 08:49:37',
            'Thu, 01 Jan 1970 00:00:00 GMT' => '1970-01-01 00:00:00',
            'Fri, 31 Dec 9999 23:59:59 GMT' => '9999-12-31 23:59:59',
            'Thu, 29 Feb 2096 00:00:00 GMT' => '2096-02-29 00:00:00',
            'Thu, 29 Feb 2095 00:00:00 GMT' => null,
            'Sun, 06 Nov 2044 24:49:37 GMT' => null,
            'Sun, 06 Nov 2044 08:60:37 GMT' => null,
            'Sun, 06 Nov 2044 08:49:60 GMT' => null,
            'Sun, 06 Nov 1600 08:49:37 GMT' => null,
            'Sun, 06 Nov 20444 08:49:37 GMT' => null,
            'Sun, 00 Nov 2044 08:49:37 GMT' => null,
            'Sun, 06 Nvo 2044 08:49:37 GMT' => null,
            'Sun, 06 Nov 2044' => null,
            '2044-11-06T08:49:37Z' => null,
            '' => null,
            '0' => null,
            '-1' => null,
            'tomorrow' => null,
            '+1 year' => null,
        ] as $text => $time) {
            yield "'{$text}'" => [(string) $text, $time];
        }
    }

    #[Test]
    #[DataProvider('dates')]
    public function a_date_is_read_as_browsers_do(string $text, ?string $time): void
    {
        $seconds = CookieDate::parse($text);

        self::assertSame($time, $seconds === null ? null : gmdate('Y-m-d H:i:s', $seconds));
    }

    /** @return iterable<string, array{string, int}> as written, and when it is */
    public static function spellings(): iterable
    {
        foreach (self::dates() as $name => [$text, $time]) {
            // libcurl knows of zones, and of no months written out.
            if ($time !== null && ! str_contains($text, '+0900') && ! str_contains($text, 'November')) {
                yield $name => [$text, (int) strtotime("{$time} UTC")];
            }
        }

        $soon = time() + 300 * 86_400;

        $zoned = ['D, d M Y H:i:s \G\M\T', 'l, d-M-y H:i:s \G\M\T', 'D, d-M-Y H:i:s \G\M\T'];

        foreach ([...$zoned, 'D M j H:i:s Y', 'd M y H:i:s', 'j-M-y G:i:s', 'H:i:s Y j M'] as $form) {
            yield "in 300 days: {$form}" => [gmdate($form, $soon), $soon];
            yield "in 300 days, in small letters: {$form}" => [strtolower(gmdate($form, $soon)), $soon];
        }
    }

    #[Test]
    #[DataProvider('spellings')]
    #[RequiresPhpExtension('curl')]
    public function libcurl_reads_it_so_too(string $text, int $time): void
    {
        $curl = curl_init();
        curl_setopt($curl, CURLOPT_COOKIEFILE, '');
        curl_setopt($curl, CURLOPT_COOKIELIST, "Set-Cookie: a=b; domain=example.com; expires={$text}");
        $cookies = curl_getinfo($curl, CURLINFO_COOKIELIST);
        $read = isset($cookies[0]) ? (int) explode("\t", $cookies[0])[4] : null;
        // From 8.9 on libcurl keeps no cookie for more than 400 days, of which it cuts off seconds.
        $longest = time() + 400 * 86_400;
        $isCutShort = $read !== null && $time > $longest && abs($longest - $read) < 300;

        // It treats a time of 0 as no time.
        self::assertSame(max(1, $time), $isCutShort ? $time : $read);
        self::assertSame($time, CookieDate::parse($text));
    }
}
