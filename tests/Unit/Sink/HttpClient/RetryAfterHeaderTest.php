<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Sink\HttpClient;

use Headroom\Sink\HttpClient\RetryAfterHeader;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class RetryAfterHeaderTest extends TestCase
{
    /** The instant of the examples in RFC 9110, 5.6.7: Sun, 06 Nov 1994 08:49:37 GMT. */
    private const THEN = 784_111_777;

    private const YEAR = 31_536_000;

    /** @return iterable<string, array{?string, ?int}> */
    public static function values(): iterable
    {
        yield 'none' => [null, null];
        yield 'empty' => ['', null];
        yield 'RFC 9110: 120' => ['120', 120];
        yield 'zero' => ['0', 0];
        yield 'zeros in front' => ['0000000000000000000000030', 30];
        yield 'blanks around' => [" 7\t", 7];
        yield 'below zero' => ['-1', null];
        yield 'with a sign' => ['+5', null];
        yield 'a fraction' => ['1.5', null];
        yield 'an exponent' => ['1e3', null];
        yield 'a word' => ['soon', null];
        yield 'two values' => ['5, 10', null];
        yield 'more than a year' => ['99999999', self::YEAR];
        yield 'more than an integer holds' => ['99999999999999999999999999', self::YEAR];
        yield 'IMF-fixdate' => ['Sun, 06 Nov 1994 08:50:37 GMT', 60];
        yield 'RFC 850' => ['Sunday, 06-Nov-94 08:50:37 GMT', 60];
        yield 'asctime' => ['Sun Nov  6 08:50:37 1994', 60];
        yield 'asctime with two digits' => ['Wed Nov 16 08:49:37 1994', 864_000];
        yield 'the wrong weekday is overlooked' => ['Fri, 06 Nov 1994 08:50:37 GMT', 60];
        yield 'the date of RFC 9110' => ['Fri, 31 Dec 1999 23:59:59 GMT', self::YEAR];
        yield 'now' => ['Sun, 06 Nov 1994 08:49:37 GMT', 0];
        yield 'past' => ['Sun, 06 Nov 1994 08:49:36 GMT', 0];
        yield 'long past' => ['Thu, 01 Jan 1970 00:00:00 GMT', 0];
        yield 'two digits that would be 56 years ahead are of the century before' => [
            'Sunday, 06-Nov-50 08:49:37 GMT', 0,
        ];
        yield 'two digits that are 46 years ahead' => ['Sunday, 06-Nov-40 08:49:37 GMT', self::YEAR];
        yield 'two digits of last year' => ['Sunday, 06-Nov-93 08:49:37 GMT', 0];
        yield 'a leap second' => ['Sat, 31 Dec 1994 23:59:60 GMT', 4_806_623];
        yield 'a day that is not' => ['Wed, 31 Feb 1994 08:49:37 GMT', null];
        yield 'an hour that is not' => ['Sun, 06 Nov 1994 25:49:37 GMT', null];
        yield 'another zone' => ['Sun, 06 Nov 1994 08:50:37 CET', null];
        yield 'an offset' => ['Sun, 06 Nov 1994 08:50:37 +0100', null];
        yield 'ISO 8601' => ['1994-11-06T08:50:37Z', null];
        yield 'words that PHP would take' => ['+1 day', null];
    }

    #[Test]
    #[DataProvider('values')]
    public function a_value_is_read_as_rfc_9110_says(?string $value, ?int $seconds): void
    {
        self::assertSame($seconds, RetryAfterHeader::seconds($value, null, self::THEN));
    }

    #[Test]
    public function two_digits_are_of_the_century_that_comes_where_that_is_nearer(): void
    {
        self::assertSame(
            self::YEAR,
            RetryAfterHeader::seconds('Wednesday, 06-Nov-75 08:49:37 GMT', null, 1_784_000_000),
        );
    }

    #[Test]
    public function a_date_is_compared_with_the_servers_own_clock(): void
    {
        $date = 'Sun, 06 Nov 1994 08:49:37 GMT';

        self::assertSame(60, RetryAfterHeader::seconds('Sun, 06 Nov 1994 08:50:37 GMT', $date, self::THEN + 3_600));
        self::assertSame(60, RetryAfterHeader::seconds('Sun, 06 Nov 1994 08:50:37 GMT', $date, self::THEN - 3_600));
        self::assertSame(120, RetryAfterHeader::seconds('120', $date, self::THEN - 3_600));
    }

    #[Test]
    public function an_unreadable_clock_of_the_server_is_replaced_by_ours(): void
    {
        self::assertSame(60, RetryAfterHeader::seconds('Sun, 06 Nov 1994 08:50:37 GMT', 'noon', self::THEN));
    }
}
