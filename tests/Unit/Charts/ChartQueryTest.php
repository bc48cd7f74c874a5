<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Charts;

use Headroom\Charts\ChartInterval;
use Headroom\Charts\ChartQuery;
use Headroom\Charts\InvalidChartQuery;
use Headroom\Tests\Support\Sentence;
use PHPUnit\Framework\Attributes\DataProvider;
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
    public function a_range_ends_now_and_has_an_interval_that_people_count_in(
        string $parameters,
        int $seconds,
        int $interval,
    ): void {
        $query = self::query($parameters);

        self::assertSame(
            [self::NOW + 1 - $seconds, self::NOW + 1, $interval],
            [$query->from, $query->to, $query->interval->seconds],
        );
    }

    #[Test]
    public function a_range_has_at_most_two_hundred_points_and_not_too_few(): void
    {
        for ($seconds = 1; $seconds < 316_224_000; $seconds = intdiv($seconds * 7, 5) + 1) {
            $points = intdiv($seconds, ChartInterval::for($seconds)->seconds) + 1;
            self::assertLessThanOrEqual(200, $points);
            self::assertTrue($points >= 20 || $seconds < 200, "{$seconds} s");
        }
    }

    #[Test]
    public function an_offset_is_a_moment(): void
    {
        self::assertSame(
            strtotime('2026-03-01T11:00:00Z'),
            self::query('from=2026-03-01T12:00:00%2B01:00&to=2026-03-02T00:00:00Z')->from,
        );
    }

    /**
     * @return iterable<string, array{0: InvalidChartQuery, 1?: list<string|int>}> the failure by the query that it is
     *     of, and names in its sentence
     */
    public static function refused(): iterable
    {
        $wrong = static fn (string $parameter, mixed $seen): InvalidChartQuery
            => InvalidChartQuery::notAllowed($parameter, $seen, Sentence::ANY);
        $offset = ['2026-03-01T12:00:00Z'];

        yield 'range=1y' => [$wrong('range', '1y'), ['1h', '24h', '7d', '30d']];
        yield 'range[]=1h' => [$wrong('range', [])];
        yield 'range=1h&from=2026-03-01T12:00:00Z' => [InvalidChartQuery::both('range', 'from')];
        yield 'from=yesterday' => [$wrong('from', 'yesterday'), $offset];
        yield 'from=2026-03-01T12:00:00' => [$wrong('from', '2026-03-01T12:00:00'), $offset];
        yield 'from=2026-02-30T12:00:00Z' => [$wrong('from', '2026-02-30T12:00:00Z'), $offset];
        yield 'from=2026-03-01T12:00:00Z%00' => [$wrong('from', "2026-03-01T12:00:00Z\0"), $offset];
        yield 'to=2026-03-01T12:00:00Z' => [$wrong('from', ''), $offset];
        yield 'from=2026-03-02T00:00:00Z&to=2026-03-01T00:00:00Z' => [InvalidChartQuery::noRange(
            strtotime('2026-03-02T00:00:00Z'),
            strtotime('2026-03-01T00:00:00Z'),
        )];
        yield 'from=0001-01-01T00:00:00Z' => [InvalidChartQuery::tooLong(739_763, 3660)];
        yield 'range=30d&interval=1' => [InvalidChartQuery::tooManyBuckets(1, 2_592_001, 200, 21_600)];
        yield 'range=30d&interval=0' => [$wrong('interval', '0'), [1]];
        yield 'split=data.secret' => [$wrong('split', 'data.secret'), ['type', 'source', 'key']];
        yield 'group=x' => [$wrong('group', 'x'), ['all', 'business', 'actions']];
        yield 'top=21' => [$wrong('top', '21'), [1, 20]];
        yield 'top=-1' => [$wrong('top', '-1'), [1, 20]];
        yield 'zone=Mars/Olympus' => [$wrong('zone', 'Mars/Olympus'), ['Europe/Amsterdam']];
        yield 'prefix=%FF' => [$wrong('prefix', "\xFF"), ['UTF-8']];
        yield 'size=10000' => [InvalidChartQuery::unknown(
            'size',
            ['range', 'from', 'to', 'interval', 'split', 'group', 'prefix', 'top', 'zone'],
        )];
    }

    /** @param list<string|int> $names */
    #[Test]
    #[DataProvider('refused')]
    public function a_parameter_that_is_not_understood_is_refused_with_its_name(
        InvalidChartQuery $expected,
        array $names = [],
    ): void {
        try {
            self::query((string) $this->dataName());
            self::fail('It was understood.');
        } catch (InvalidChartQuery $e) {
            Sentence::naming($names, $expected, $e);
        }
    }

    private static function query(string $parameters): ChartQuery
    {
        parse_str($parameters, $asked);

        return ChartQuery::from($asked, self::NOW);
    }
}
