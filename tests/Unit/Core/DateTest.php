<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Core;

use DateTimeImmutable;
use Headroom\Core\Date;
use Headroom\Core\Dates;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class DateTest extends TestCase
{
    #[Test]
    #[DataProvider('dates')]
    public function it_is_written_as_a_date_object_would_write_it(string $text): void
    {
        $date = Date::parse($text);
        $expected = DateTimeImmutable::createFromFormat('Y-m-d\TH:i:s.uP', $text);
        self::assertNotNull($date);
        self::assertInstanceOf(DateTimeImmutable::class, $expected);

        foreach (['Y-m-d H:i:s', 'Y-m-d H:i:s.u', 'Y-m-d\TH:i:s.uP', 'U.u'] as $format) {
            self::assertSame($expected->format($format), $date->format($format));
        }

        self::assertEquals($expected, $date instanceof Date ? $date->toDateTime() : $date);
    }

    #[Test]
    public function many_are_written_as_each_alone(): void
    {
        $texts = array_values(array_filter(
            array_keys(iterator_to_array(self::dates())),
            static fn (string $text): bool => Date::parse($text) instanceof Date,
        ));
        $dates = Dates::parse($texts);
        self::assertNotNull($dates);
        self::assertContains('2024-02-29T12:00:00.000000+00:00', $texts);

        foreach (['Y-m-d H:i:s', 'Y-m-d H:i:s.v', 'c'] as $format) {
            self::assertSame(
                array_map(static fn (string $text): string => (new DateTimeImmutable($text))->format($format), $texts),
                $dates->format($format),
            );
        }

        self::assertEquals(array_map(Date::parse(...), $texts), iterator_to_array($dates));
        self::assertSame(array_slice($texts, 1, 2), array_column(iterator_to_array($dates->slice(1, 2)), 'text'));

        foreach ([
            'now',
            '2025-02-29T00:00:00.000000+00:00',
            '1880-01-01T00:00:00.000000+00:53:28',
            "2025-03-01T00:00:00.000000+00:00\n",
        ] as $other) {
            self::assertNull(Dates::parse([...$texts, $other]));
        }
    }

    #[Test]
    public function of_29th_of_february_there_are_as_many_as_leap_years(): void
    {
        for ($year = 1; $year < 10_000; $year++) {
            $text = sprintf('%04d-02-29T12:00:00.000000+00:00', $year);

            self::assertSame(checkdate(2, 29, $year), Date::parse($text) instanceof Date, $text);
        }
    }

    /** @return iterable<string, array{string}> */
    public static function dates(): iterable
    {
        foreach ([
            '2025-03-01T12:00:00.654321+00:00', '0001-01-01T00:00:00.000000+00:00', '9999-12-31T23:59:59.999999-11:30',
            '2024-02-29T12:00:00.000000+00:00', '2025-04-30T01:02:03.000004+05:45', '2025-01-31T23:00:00.100000+14:00',
            '1880-01-01T00:00:00.000000+00:53:28', '2025-02-30T00:00:00.000000+00:00',
            '2025-02-29T00:00:00.000000+00:00',
            '2025-04-31T00:00:00.000000+02:00',
        ] as $text) {
            yield $text => [$text];
        }
    }

    #[Test]
    #[DataProvider('others')]
    public function a_text_that_is_no_date_is_none(string $text): void
    {
        self::assertNull(Date::parse($text));
    }

    /** @return iterable<string, array{string}> */
    public static function others(): iterable
    {
        foreach ([
            '', 'now', '2025-03-01', '2025-03-01 12:00:00.000000+00:00', "2025-03-01T12:00:00.000000+00:00\n",
            '2025-03-01T12:00:00+00:00',
        ] as $text) {
            yield json_encode($text, JSON_THROW_ON_ERROR) => [$text];
        }
    }
}
