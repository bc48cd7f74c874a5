<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Report;

use Headroom\Report\Page\BarChart;
use Headroom\Report\Page\Bars;
use Headroom\Report\Page\BoxChart;
use Headroom\Report\Page\BoxPlot;
use Headroom\Report\Page\BulletList;
use Headroom\Report\Page\Cell;
use Headroom\Report\Page\Code;
use Headroom\Report\Page\Columns;
use Headroom\Report\Page\Details;
use Headroom\Report\Page\KeyFigures;
use Headroom\Report\Page\Line;
use Headroom\Report\Page\LineChart;
use Headroom\Report\Page\Marker;
use Headroom\Report\Page\Page;
use Headroom\Report\Page\Paragraph;
use Headroom\Report\Page\PlotBand;
use Headroom\Report\Page\QuartileRange;
use Headroom\Report\Page\RangeChart;
use Headroom\Report\Page\Reference;
use Headroom\Report\Page\Scale;
use Headroom\Report\Page\Section;
use Headroom\Report\Page\Table;
use Headroom\Report\Page\Tone;
use Headroom\Report\Page\Unit;

/**
 * A page with one of each block; nothing in it was measured.
 */
final readonly class EveryBlock
{
    /** Markup, a NUL, a mark that turns the direction of writing, and a byte that is not UTF-8. */
    public const HOSTILE = "<img src=x onerror=alert(1)>&amp;\x00\u{202E}\xFF</script><script>alert(2)</script>";

    public static function page(): Page
    {
        return new Page('Every block', 'One of each, made up. '.self::HOSTILE, [
            new Section(
                'warnings',
                'What to know before you read on',
                [new BulletList(['Made up: `php tests` wrote it.', self::HOSTILE])],
                Tone::Alert,
            ),
            self::texts(),
            new Section('rates', 'Jobs per second', [self::boxes()]),
            new Section('time', 'Over time', [new Columns([self::steps(), self::depth()]), self::slow()]),
            new Section('counts', 'Counts', [new Columns([self::grouped(), self::across()]), self::stacked()]),
            new Section('changes', 'CPU time of a request', [self::ranges()], Tone::Good),
        ]);
    }

    private static function texts(): Section
    {
        return new Section('texts', 'Words and tables', [
            Paragraph::lead('redis: 5,200 jobs/s, five times as many as any database.'),
            new Paragraph(
                'Ordinary words, with `a piece of code` in them, that go on for long enough to be broken into lines on'
                    .' a screen of any width that people have.',
            ),
            new KeyFigures([['jobs', '10,000'], ['workers', '10'], ['lost', '0'], ['double', '0']]),
            new Table(['driver', 'jobs/s', 'runs', 'durable', 'the doctor'], [
                [
                    'redis',
                    new Cell('5,200', '5,150 to 5,260'),
                    '10',
                    'each second',
                    new Cell('Good: as fast as it can be', '', Tone::Good),
                ],
                [
                    'database, MariaDB',
                    new Cell('980', '940 to 1,010'),
                    '10',
                    'each commit',
                    new Cell(
                        'Waits for the disk, which is slow on this machine',
                        'innodb_flush_log_at_trx_commit = 1',
                        Tone::Alert,
                        '#rates',
                    ),
                ],
                [
                    'beanstalkd',
                    new Cell('–', 'not measured', Tone::Quiet),
                    '0',
                    'never',
                    new Cell('See the queues', '', Tone::Plain, 'queues.html#beanstalkd'),
                ],
                [self::HOSTILE, '1', '2', self::HOSTILE, ''],
            ], 'Ten runs of each, medians with their quartiles'),
            Paragraph::note('Quartiles are below the medians.'),
            new Code("php artisan headroom:bench:queues \\\n    --drivers redis,database:mariadb --jobs 10000"),
            new Details(
                'The machine',
                [new KeyFigures([['CPU', 'AMD EPYC'], ['cores', '2'], ['PHP', '8.2.36']], true)],
            ),
        ]);
    }

    private static function boxes(): BoxChart
    {
        $article = 'the article, another machine';

        return new BoxChart(
            'rates-boxes',
            'Jobs per second',
            'A point is a run; a box goes from quartile to quartile. More is better.',
            Unit::PerSecond,
            [
                BoxPlot::ofSamples(
                    'beanstalkd',
                    [9500, 9420, 9610, 9380, 9550, 9490, 9700, 9460, 9530, 9510],
                    new Reference(1100, $article),
                ),
                BoxPlot::ofSamples(
                    'redis',
                    [5200, 5150, 5260, 5230, 4700, 5190, 5210, 5170, 5240, 5220],
                    new Reference(1050, $article),
                ),
                BoxPlot::ofFive('database, MariaDB', 900, 940, 980, 1010, 1100, new Reference(250, $article)),
                BoxPlot::missing('database, SQLite', 'no run was valid'),
            ],
        );
    }

    private static function steps(): LineChart
    {
        $bands = array_map(
            static fn (int $n): PlotBand => new PlotBand(10 * $n, 10 * $n + 10, number_format(100 * ($n + 1))),
            range(0, 9),
        );

        return new LineChart(
            'time-rates',
            'Response time',
            'Step by step of users.',
            Unit::Seconds,
            Unit::Millis,
            [
                new Line('stack X, p50', self::points([2.1, 2.2, 2.2, 2.4, 2.5, 2.9, 3.4, 4.1, 7.5, 9.0]), color: 0),
                new Line(
                    'stack X, p95',
                    self::points([4.0, 4.1, 4.4, 4.5, 4.9, 5.7, 6.6, 8.0, 15.5, 19.0]),
                    isDashed: true,
                    color: 0,
                ),
                new Line(
                    'stack A, p50',
                    self::points([2.4, 2.5, 3.1, 3.9, 120.0, 2200.0, 4100.0, null, 9000.0, null]),
                    color: 1,
                ),
            ],
            $bands,
            'users',
            [new Marker(65, '12 errors', 4100.0), new Marker(75, 'hardly an answer')],
            scale: Scale::Fitting,
        );
    }

    /**
     * @param list<?float> $values
     * @return list<array{int, ?float}>
     */
    private static function points(array $values): array
    {
        return array_map(
            static fn (int $n, ?float $value): array => [5 + 10 * $n, $value],
            array_keys($values),
            $values,
        );
    }

    private static function depth(): LineChart
    {
        $line = static fn (string $name, float $rate): Line => new Line(
            $name,
            array_map(static fn (int $n): array => [$n / 2, (int) max(0, 10_000 - $rate * $n / 2)], range(0, 60)),
            hasSteps: true,
        );

        return new LineChart(
            'time-depth',
            'Depth of the queue',
            'Counted every half second.',
            Unit::Seconds,
            Unit::Count,
            [$line('beanstalkd', 9500), $line('redis', 5200), $line('MariaDB', 980), $line(self::HOSTILE, 400)],
        );
    }

    private static function slow(): LineChart
    {
        return new LineChart('time-none', 'Memory', '', Unit::Seconds, Unit::Bytes, [new Line(
            'worker',
            [[0, null], [1, null]],
        )]);
    }

    private static function grouped(): BarChart
    {
        return new BarChart(
            'counts-stores',
            'Jobs per second, by cache store',
            '',
            ['array', 'file', 'database'],
            Unit::PerSecond,
            [new Bars('redis', [5200, 4100, 2200]), new Bars('MariaDB', [980, 950, null])],
        );
    }

    private static function across(): BarChart
    {
        return new BarChart(
            'counts-sizes',
            'Bytes of a job',
            'Less is better.',
            ['a closure', 'a job with a model', 'a chain of ten jobs, each with a listener'],
            Unit::Bytes,
            [new Bars('payload', [1234, 640, 18_400])],
            isHorizontal: true,
        );
    }

    private static function stacked(): BarChart
    {
        return new BarChart(
            'counts-time',
            'Where a request spends its time',
            '',
            ['/', '/cart', '/search'],
            Unit::Millis,
            [new Bars('PHP', [3.1, 4.0, 6.2]), new Bars('SQL', [1.5, 7.4, 22.0]), new Bars('Redis', [0.4, 0.6, 0.4])],
            isStacked: true,
        );
    }

    private static function ranges(): RangeChart
    {
        return new RangeChart(
            'changes-cpu',
            'CPU time of GET /',
            'The dot is the median, the bar goes from quartile to quartile. Grey: no difference.',
            Unit::Change,
            [
                new QuartileRange('all files', [-9.4, -8.1, -7.6], '-8.1 %'),
                new QuartileRange('hot files', [-6.0, -5.2, -3.9], '-5.2 %'),
                new QuartileRange('vendor', [-1.2, 0.3, 1.4], '+0.3 %, no difference seen', true),
                new QuartileRange('nothing', null, 'not measured'),
            ],
            1.5,
        );
    }
}
