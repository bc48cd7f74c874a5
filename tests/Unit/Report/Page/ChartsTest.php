<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Report\Page;

use Headroom\Report\Page\BarChart;
use Headroom\Report\Page\Bars;
use Headroom\Report\Page\BoxChart;
use Headroom\Report\Page\BoxPlot;
use Headroom\Report\Page\Chart;
use Headroom\Report\Page\Line;
use Headroom\Report\Page\LineChart;
use Headroom\Report\Page\Marker;
use Headroom\Report\Page\PlotBand;
use Headroom\Report\Page\QuartileRange;
use Headroom\Report\Page\RangeChart;
use Headroom\Report\Page\Reference;
use Headroom\Report\Page\Scale;
use Headroom\Report\Page\Unit;
use Headroom\Tests\Support\Snapshot;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

#[Group('snapshot')]
final class ChartsTest extends TestCase
{
    #[Test]
    public function lines_have_a_table_of_all_their_places(): void
    {
        $chart = new LineChart('depth', 'Depth', 'Each half second.', Unit::Seconds, Unit::Count, [
            new Line('redis', [[0, 10_000], [100.5, 4_200], [101, null]]),
            new Line('MariaDB', [[0, 10_000], [100.5000001, 9_000]], hasSteps: true, color: 3),
        ]);

        self::assertMatchesRegularExpression(
            '/^Depth\. Each half second\. redis 4,200\D+10,000\D+4,200; MariaDB 9,000\D+10,000\D+9,000\.$/',
            self::text($chart->toArray()['label']),
        );
        self::assertSame(['redis', 'MariaDB'], array_slice(self::table($chart)['headings'], 1));
        // Places next to each other are two: no digit of them is lost.
        self::assertSame(
            [['0 s', '10,000', '10,000'], ['100.5 s', '4,200', ''], ['100.5 s', '', '9,000'], ['101 s', '–', '']],
            self::table($chart)['rows'],
        );
        self::assertSame(
            [
                [
                    'name' => 'redis',
                    'points' => [[0, 10_000], [100.5, 4_200], [101, null]],
                    'dashed' => false,
                    'steps' => false,
                    'color' => null,
                ],
                [
                    'name' => 'MariaDB',
                    'points' => [[0, 10_000], [100.5000001, 9_000]],
                    'dashed' => false,
                    'steps' => true,
                    'color' => 3,
                ],
            ],
            $chart->toArray()['lines'],
        );
    }

    #[Test]
    public function bands_and_marks_are_in_the_table_of_lines(): void
    {
        $chart = new LineChart(
            'rates',
            'Rates',
            '',
            Unit::Seconds,
            Unit::PerSecond,
            [new Line('stack X', [[5, 99.5], [15, 180]])],
            [new PlotBand(0, 10, '100'), new PlotBand(10, 20, '200')],
            'users',
            [new Marker(15, '3 errors', 180), new Marker(18, 'the server was away')],
        );

        self::assertSame(['users', 'stack X'], array_slice(self::table($chart)['headings'], 1, 2));
        self::assertCount(4, self::table($chart)['headings']);
        self::assertSame(
            [
                ['5 s', '100', '99.5/s', ''],
                ['15 s', '200', '180/s', '3 errors'],
                ['18 s', '200', '', 'the server was away'],
            ],
            self::table($chart)['rows'],
        );
        self::assertMatchesRegularExpression('/180\/s; 2 [^;0-9]+\.$/', self::text($chart->toArray()['label']));
        Snapshot::assertPrinted(
            'report page',
            'lines with marks',
            implode(', ', self::table($chart)['headings'])."\n".self::text($chart->toArray()['label']),
        );
    }

    #[Test]
    public function a_figure_that_was_not_measured_is_said_to_be_missing(): void
    {
        $line = (new LineChart('r', 'Rates', '', Unit::Seconds, Unit::Count, [new Line(
            'redis',
            [[0, null]],
        )]))->toArray();
        $none = (new LineChart('r', 'Rates', '', Unit::Seconds, Unit::Count, []))->toArray();
        $bars = (new BarChart('r', 'Rates', '', ['a'], Unit::Count, [new Bars('redis', [null])]))->toArray();

        self::assertMatchesRegularExpression('/^Rates\. redis [^0-9]+\.$/', self::text($line['label']));
        self::assertMatchesRegularExpression('/^Rates\. [^0-9]+\.$/', self::text($none['label']));
        self::assertSame('Rates. a –.', $bars['label']);
        Snapshot::assertPrinted(
            'report page',
            'a chart without figures',
            self::text($line['label'])."\n".self::text($none['label']),
        );
    }

    #[Test]
    public function a_scale_fits_its_values(): void
    {
        $isLog = static fn (Scale $scale, float ...$values): bool => $scale->isLog(array_values($values), 'chart');

        self::assertTrue($isLog(Scale::Fitting, 0, 1, 101));
        self::assertFalse($isLog(Scale::Fitting, 1, 100));
        self::assertFalse($isLog(Scale::Fitting, -1, 1, 1_000));
        self::assertFalse($isLog(Scale::Linear, 1, 1_000));
        self::assertTrue($isLog(Scale::Log, 1, 2));
        self::assertFalse($isLog(Scale::Log, 0.0));
        self::assertFalse($isLog(Scale::Fitting));
    }

    #[Test]
    public function bars_have_a_row_for_each_category(): void
    {
        $chart = new BarChart(
            'stores',
            'Stores',
            'More is better.',
            ['array', 'file'],
            Unit::PerSecond,
            [new Bars('redis', [5_200, 4_100.5]), new Bars('MariaDB', [980, null])],
            true,
            true,
        );

        self::assertSame(
            'Stores. More is better. array redis 5,200/s, MariaDB 980/s; file redis 4,101/s, MariaDB –.',
            $chart->toArray()['label'],
        );
        self::assertSame([['array', '5,200/s', '980/s'], ['file', '4,101/s', '–']], self::table($chart)['rows']);
        self::assertSame([true, true], [$chart->toArray()['stacked'], $chart->toArray()['horizontal']]);
    }

    #[Test]
    public function boxes_have_the_quartiles_of_their_samples(): void
    {
        $chart = new BoxChart('rates', 'Rates', '', Unit::PerSecond, [
            BoxPlot::ofSamples('redis', [400, 100, 300, 200], new Reference(50, 'the article')),
            BoxPlot::ofSamples('one', [7]),
            BoxPlot::ofFive('MariaDB', 1, 2, 3, 4, 5),
            BoxPlot::missing('SQLite', 'no run was valid'),
        ]);

        // As numpy.quantile([100, 200, 300, 400], [0, .25, .5, .75, 1]) has it.
        self::assertEquals([100, 175, 250, 325, 400], BoxPlot::ofSamples('redis', [400, 100, 300, 200])->five);
        self::assertCount(8, self::table($chart)['headings']);
        self::assertSame('the article', self::table($chart)['headings'][7]);
        self::assertSame([
            ['redis', '100/s', '175/s', '250/s', '325/s', '400/s', '4', '50.0/s'],
            ['one', '7.00/s', '7.00/s', '7.00/s', '7.00/s', '7.00/s', '1', ''],
            ['MariaDB', '1.00/s', '2.00/s', '3.00/s', '4.00/s', '5.00/s', '–', ''],
            ['SQLite', '–', '–', '–', '–', '–', 'no run was valid', ''],
        ], self::table($chart)['rows']);
        self::assertMatchesRegularExpression(
            '~^Rates\. redis 250/s\D+175/s\D+325/s \(the article: 50\.0/s\); one 7\.00/s\D+7\.00/s\D+7\.00/s; MariaDB 3\.00/s\D+2\.00/s\D+4\.00/s; SQLite no run was valid\.$~',
            self::text($chart->toArray()['label']),
        );
        Snapshot::assertPrinted(
            'report page',
            'boxes',
            implode(', ', self::table($chart)['headings'])."\n".self::text($chart->toArray()['label']),
        );
    }

    #[Test]
    public function ranges_say_their_words_where_they_have_no_values(): void
    {
        $chart = new RangeChart(
            'cpu',
            'CPU',
            '',
            Unit::Change,
            [
                new QuartileRange('all', [-9.4, -8.1, 2], '-8.1 %', true),
                new QuartileRange('none', null, 'another answer'),
            ],
            1.5,
            [-10, 10],
        );

        self::assertSame('CPU. all: -8.1 %; none: another answer.', $chart->toArray()['label']);
        self::assertSame(
            [['all', '-9.4 %', '-8.1 %', '+2.0 %', '-8.1 %'], ['none', '–', '–', '–', 'another answer']],
            self::table($chart)['rows'],
        );
        self::assertSame([1.5, [-10, 10]], [$chart->toArray()['floor'], $chart->toArray()['axis']]);
    }

    #[Test]
    public function each_unit_has_its_words(): void
    {
        $words = static fn (Unit $unit, int|float|null ...$values): array => array_map($unit->words(...), $values);

        self::assertSame(['–', '0/s', '0.500/s', '1,234/s'], $words(Unit::PerSecond, null, 0, 0.5, 1_234));
        self::assertSame(
            ['0 ms', '400 µs', '12.3 ms', '999 ms', '1.00 s', '12.3 s'],
            $words(Unit::Millis, 0, 0.4, 12.34, 999.4, 999.6, 12_340),
        );
        self::assertSame(['12.3 µs', '1.23 ms', '-5.00 µs'], $words(Unit::Micros, 12.34, 1_234, -5));
        self::assertSame(['0.500 s', '600 s'], $words(Unit::Seconds, 0.5, 600));
        self::assertSame(['0 %', '12.3 %', '100 %', '0.020 %'], $words(Unit::Share, 0, 0.1234, 1, 0.0002));
        self::assertSame(['12.3 %', '-3.0 %'], $words(Unit::Percent, 12.34, -3));
        self::assertSame(['+3.2 %', '-3.2 %', '0 %'], $words(Unit::Change, 3.2, -3.2, 0));
        self::assertSame(['640 B', '1.23 kB', '-1.23 kB'], $words(Unit::Bytes, 640, 1_234, -1_234));
        self::assertSame(['1,234', '12.5', '-3'], $words(Unit::Count, 1_234, 12.5, -3));
        self::assertSame(['1.23x', '4.00x'], $words(Unit::Times, 1.234, 4));
        self::assertSame(['1,000.5 s', '0 s', '10 s'], array_map(Unit::Seconds->place(...), [1_000.5, 0, 10.0]));
        self::assertSame(['99.9', '850'], array_map(Unit::Count->place(...), [99.9, 850]));
    }

    /** @return array{headings: list<string>, rows: list<list<string>>} */
    private static function table(Chart $chart): array
    {
        $numbers = $chart->toArray()['numbers'];
        self::assertIsArray($numbers);

        /** @var array{headings: list<string>, rows: list<list<string>>} $numbers */
        return $numbers;
    }

    private static function text(mixed $value): string
    {
        return is_string($value) ? $value : self::fail('No text.');
    }
}
