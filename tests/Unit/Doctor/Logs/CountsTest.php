<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Logs;

use Headroom\Doctor\Logs\FrequencyRow;
use Headroom\Doctor\Logs\FrequencyTable;
use Headroom\Doctor\Logs\SampleConfidence;
use Headroom\Doctor\Logs\TimeRange;
use Headroom\Doctor\Logs\UnparsedLines;
use Headroom\Host\Log\Months;
use Headroom\Tests\Unit\Doctor\Support\Examined;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class CountsTest extends TestCase
{
    #[Test]
    public function names_are_ranked_by_count_and_then_by_name(): void
    {
        $tally = self::tally(['b', 'a', '10', 'c', 'c', '09']);

        self::assertEquals(
            [
                new FrequencyRow('c', 2, 2 / 6),
                new FrequencyRow('09', 1, 1 / 6),
                new FrequencyRow('10', 1, 1 / 6),
                new FrequencyRow('a', 1, 1 / 6),
                new FrequencyRow('b', 1, 1 / 6),
            ],
            $tally->ranking(),
        );
        self::assertCount(2, $tally->ranking(2));
        self::assertSame(['09', '10', 'a', 'b', 'c'], array_column($tally->inOrder(), 'name'));
        self::assertSame([2, 0, 6], [$tally->count('c'), $tally->count('d'), $tally->total()]);
    }

    #[Test]
    public function too_many_names_never_make_a_count_too_high_and_the_sum_stays_right(): void
    {
        $tally = new FrequencyTable(10);

        for ($i = 0; $i < 1_000; $i++) {
            $tally->add("rare {$i}");
            $tally->add('frequent');
        }

        self::assertSame(['frequent', 1_000], [$tally->ranking(1)[0]->name, $tally->ranking(1)[0]->count]);
        self::assertSame(2_000, $tally->total());
        self::assertSame(2_000, $tally->others() + array_sum(array_column($tally->ranking(), 'count')));
        self::assertLessThanOrEqual(10, count($tally->ranking()));
    }

    #[Test]
    public function a_name_is_kept_up_to_a_length(): void
    {
        $tally = self::tally([str_repeat('x', 100_000), str_repeat('x', 90_000)]);

        self::assertSame([2, 240], [$tally->ranking()[0]->count, strlen($tally->ranking()[0]->name)]);
    }

    /** @return iterable<string, array{int, int, int, SampleConfidence}> */
    public static function shares(): iterable
    {
        yield 'one trace' => [1, 0, 1, SampleConfidence::Hint];
        yield 'all of too few' => [19, 0, 19, SampleConfidence::Hint];
        yield 'all of enough' => [20, 0, 20, SampleConfidence::Likely];
        yield 'most of enough' => [15, 3, 20, SampleConfidence::Likely];
        yield 'nearly as many of the next' => [11, 9, 20, SampleConfidence::Hint];
        yield 'many' => [75, 25, 100, SampleConfidence::Firm];
        yield 'many, and a tie' => [500, 490, 1_000, SampleConfidence::Hint];
        yield 'very many, and a small lead' => [52_000, 48_000, 100_000, SampleConfidence::Firm];
    }

    #[Test]
    #[DataProvider('shares')]
    public function few_traces_and_small_leads_are_hints(
        int $first,
        int $second,
        int $samples,
        SampleConfidence $expected,
    ): void {
        self::assertSame($expected, SampleConfidence::of($first, $second, $samples));
    }

    #[Test]
    public function a_hint_says_why_it_is_one(): void
    {
        Examined::shows(['3', '20'], SampleConfidence::Hint->words(3));
        self::assertDoesNotMatchRegularExpression('/\d/', SampleConfidence::Hint->words(300));
    }

    #[Test]
    public function a_span_takes_files_in_any_order(): void
    {
        $span = new TimeRange;

        foreach ([
            '2026-01-02 10:00:00', '2026-01-02 10:00:00', '2025-12-31 23:59:59', '2026-01-01 00:00:00',
        ] as $time) {
            $span->add($time);
        }

        self::assertSame(['2025-12-31 23:59:59', '2026-01-02 10:00:00'], [$span->first, $span->last]);
    }

    #[Test]
    public function months_have_the_names_of_c(): void
    {
        self::assertSame('2020-11-27', Months::day('27-Nov-2020'));
        self::assertNull(Months::day('27-nov-2020'));
        self::assertNull(Months::day('27-Nov-20'));
    }

    #[Test]
    public function lines_that_are_shown_cannot_speak_to_the_terminal(): void
    {
        $unread = new UnparsedLines;

        foreach (["\e[2J\x00\xff", str_repeat('a', 5_000), 'third', 'fourth'] as $line) {
            $unread->add($line);
        }

        self::assertSame(4, $unread->lines());
        self::assertSame(['\e[2J\x00\xFF', str_repeat('a', 60).'…', 'third'], $unread->examples());
    }

    /** @param list<string> $names */
    private static function tally(array $names): FrequencyTable
    {
        $tally = new FrequencyTable;
        array_map($tally->add(...), $names);

        return $tally;
    }
}
