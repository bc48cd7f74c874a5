<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Sink\Elasticsearch;

use Headroom\Sink\Elasticsearch\Chart\ChartQuery;
use Headroom\Sink\Elasticsearch\Chart\Interval;
use Headroom\Sink\Elasticsearch\Chart\InvalidChartQuery;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

final class ChartQueryTest extends TestCase
{
    private const NOW = 1_780_000_000;

    #[Test]
    #[TestWith(['', 86_400, 600])]
    #[TestWith(['range=1h', 3_600, 30])]
    #[TestWith(['range=7d', 604_800, 3_600])]
    #[TestWith(['range=30d', 2_592_000, 21_600])]
    public function a_range_ends_now_and_has_an_interval_that_people_count_in(string $parameters, int $seconds, int $interval): void
    {
        $query = self::query($parameters);

        self::assertSame([self::NOW + 1 - $seconds, self::NOW + 1, $interval], [$query->from, $query->to, $query->interval->seconds]);
    }

    #[Test]
    public function whatever_the_range_there_are_at_most_two_hundred_points_and_not_too_few(): void
    {
        for ($seconds = 1; $seconds < 316_224_000; $seconds = intdiv($seconds * 7, 5) + 1) {
            $points = intdiv($seconds, Interval::for($seconds)->seconds) + 1;
            self::assertLessThanOrEqual(200, $points);
            self::assertTrue($points >= 20 || $seconds < 200, "{$seconds} s");
        }
    }

    #[Test]
    public function an_offset_is_a_moment(): void
    {
        self::assertSame(strtotime('2026-03-01T11:00:00Z'), self::query('from=2026-03-01T12:00:00%2B01:00&to=2026-03-02T00:00:00Z')->from);
    }

    #[Test]
    #[TestWith(['range=1y', 'range', 'one of 1h, 24h, 7d, 30d'])]
    #[TestWith(['range[]=1h', 'range', 'one text'])]
    #[TestWith(['range=1h&from=2026-03-01T12:00:00Z', 'range', 'both there'])]
    #[TestWith(['from=yesterday', 'from', 'a time with its offset'])]
    #[TestWith(['from=2026-03-01T12:00:00', 'from', 'a time with its offset'])]
    #[TestWith(['from=2026-02-30T12:00:00Z', 'from', 'a time with its offset'])]
    #[TestWith(['from=2026-03-01T12:00:00Z%00', 'from', 'a time with its offset'])]
    #[TestWith(['to=2026-03-01T12:00:00Z', 'from', 'a time with its offset'])]
    #[TestWith(['from=2026-03-02T00:00:00Z&to=2026-03-01T00:00:00Z', 'from', "must be before 'to'"])]
    #[TestWith(['from=0001-01-01T00:00:00Z', 'from', '3660 are the limit'])]
    #[TestWith(['range=30d&interval=1', 'interval', 'makes 2592001 points of this range; 200 are the limit'])]
    #[TestWith(['range=30d&interval=0', 'interval', 'a whole number from 1'])]
    #[TestWith(['split=data.secret', 'split', 'one of type, source, key'])]
    #[TestWith(['group=x', 'group', 'one of all, business, actions'])]
    #[TestWith(['top=21', 'top', 'from 1 to 20'])]
    #[TestWith(['top=-1', 'top', 'from 1 to 20'])]
    #[TestWith(['zone=Mars/Olympus', 'zone', 'a time zone'])]
    #[TestWith(['prefix=%FF', 'prefix', 'of UTF-8'])]
    #[TestWith(['size=10000', 'size', "There is no parameter 'size'"])]
    public function what_is_not_understood_is_refused_with_its_name(string $parameters, string $parameter, string $said): void
    {
        try {
            self::query($parameters);
            self::fail('It was understood.');
        } catch (InvalidChartQuery $e) {
            self::assertSame($parameter, $e->parameter);
            self::assertStringContainsString($said, $e->getMessage());
        }
    }

    private static function query(string $parameters): ChartQuery
    {
        parse_str($parameters, $asked);

        return ChartQuery::from($asked, self::NOW);
    }
}
