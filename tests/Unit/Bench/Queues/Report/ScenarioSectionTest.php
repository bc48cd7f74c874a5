<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Bench\Queues\Report;

use Headroom\Bench\Queues\DriverFacts;
use Headroom\Bench\Queues\Durability;
use Headroom\Bench\Queues\Report\ScenarioSection;
use Headroom\Bench\Queues\Results\Fault;
use Headroom\Bench\Queues\Results\Finding;
use Headroom\Bench\Queues\Results\Findings;
use Headroom\Bench\Queues\Results\Outcome;
use Headroom\Bench\Queues\Scenarios\Scenario;
use Headroom\Bench\Queues\Variant;
use Headroom\Bench\Queues\Workload;
use Headroom\Tests\Support\Snapshot;
use Headroom\Tests\Unit\Bench\Queues\Drawn;
use Headroom\Tests\Unit\Bench\Queues\Made;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/** The section of one scenario: its table, its charts and its alerts. */
#[Group('snapshot')]
final class ScenarioSectionTest extends TestCase
{
    #[Test]
    public function a_row_of_the_table_is_a_driver_with_its_figures(): void
    {
        $grid = self::block(Scenario::Empty, [Made::finding(Made::rates([1_000, 1_100, 1_200])), Made::fast()], 'grid');

        [$redis, $beanstalkd] = Drawn::cells($grid);

        self::assertCount(8, (array) $grid['headings']);
        self::assertSame(['redis (Redis 7.0)', Durability::Seconds->words()], array_slice($redis, 0, 2));
        self::assertMatchesRegularExpression('/^1,100 .*1,050.*1,150/', $redis[2]);
        self::assertSame(
            ['9.1 %', '1,000', [3, 3], '0', '0'],
            [$redis[3], $redis[4], Drawn::numbers($redis[5]), $redis[6], $redis[7]],
        );
        self::assertSame(['beanstalkd (Redis 7.0)', Durability::None->words()], array_slice($beanstalkd, 0, 2));
        self::assertMatchesRegularExpression('/^9,000\D+$/', $beanstalkd[2]);
        self::assertSame(
            ["\u{2013}", '1,000', [1, 1], '0', '0'],
            [$beanstalkd[3], $beanstalkd[4], Drawn::numbers($beanstalkd[5]), $beanstalkd[6], $beanstalkd[7]],
        );
        Snapshot::assertPrinted(
            'bench queues',
            'a table of the page',
            implode(
                "\n",
                array_map(
                    static fn (array $row): string => implode(' | ', $row),
                    [array_filter((array) $grid['headings'], is_string(...)), $redis, $beanstalkd],
                ),
            ),
        );
    }

    #[Test]
    public function a_driver_that_is_not_valid_stands_out_without_a_figure(): void
    {
        $section = self::section(
            Scenario::Empty,
            [Made::fast(), Made::finding([Made::outcome(5_000, [Fault::double([1])]), Made::throttled()])],
        );
        $row = array_column(Drawn::cells(Drawn::find($section, 'grid')), null, 0)['redis (Redis 7.0)'];

        self::assertSame('alert', $section['tone']);
        self::assertSame(
            ['redis (Redis 7.0)', Durability::Seconds->words(), '', '', '0', '1 !'],
            [$row[0], $row[1], $row[3], $row[4], $row[6], $row[7]],
        );
        self::assertMatchesRegularExpression('/^\D+ !$/', $row[2]);
        self::assertSame([[0, 1, 1], true], [Drawn::numbers($row[5]), str_ends_with($row[5], ' !')]);
        $items = (array) Drawn::find($section, 'bullets')['items'];
        self::assertSame(
            Made::finding([Made::outcome(5_000, [Fault::double([1])]), Made::throttled()])->notes(),
            $items,
        );
        Snapshot::assertPrinted('bench queues', 'a row of the page that is not valid', implode(' | ', $row));
    }

    #[Test]
    public function a_driver_that_could_not_be_measured_alerts_too(): void
    {
        $section = self::section(Scenario::Empty, [Made::fast(), Made::finding([], refused: 'redis: gone')]);

        self::assertSame('alert', $section['tone']);
        self::assertSame(['redis: gone'], Drawn::find($section, 'bullets')['items']);
    }

    #[Test]
    public function a_run_that_the_machine_slowed_alone_does_not_alert(): void
    {
        self::assertSame(
            'plain',
            self::section(Scenario::Empty, [Made::finding([Made::throttled(), Made::outcome()])])['tone'],
        );
    }

    #[Test]
    public function a_box_is_a_driver_and_a_point_is_a_valid_run(): void
    {
        $chart = self::block(
            Scenario::Empty,
            [
                Made::finding([
                    ...Made::rates([1_200, 1_000, 1_100.04]),
                    Made::throttled(1),
                    Made::outcome(9_999, [Fault::lost([1])]),
                ]),
                Made::finding([Made::nothing()], 'sqlite'),
            ],
            'boxes',
        );

        self::assertSame(['empty-rates', 'per_second'], [$chart['id'], $chart['unit']]);
        self::assertIsArray($chart['boxes']);
        self::assertIsArray($chart['boxes'][0]);
        self::assertIsArray($chart['boxes'][1]);
        self::assertSame(
            ['redis', [1_200.0, 1_000.0, 1_100.0]],
            [$chart['boxes'][0]['name'], $chart['boxes'][0]['samples']],
        );
        self::assertSame(['sqlite', null], [$chart['boxes'][1]['name'], $chart['boxes'][1]['five']]);
        self::assertNotSame('', $chart['boxes'][1]['words']);
    }

    #[Test]
    public function the_depth_is_that_of_the_valid_run_in_the_middle(): void
    {
        $outcomes = [
            Made::outcome(500, depth: [[0.0, 1]]),
            Made::outcome(1_000, depth: [[0.0, 1_000], [0.5, 400], [0.98765, 0]]),
            Made::outcome(2_000, depth: [[0.0, 2]]),
        ];
        $chart = self::block(
            Scenario::Empty,
            [Made::finding([Made::throttled(1_000), ...$outcomes]), Made::finding([Made::nothing()], 'sqlite')],
            'lines',
        );

        self::assertIsArray($chart['lines']);
        self::assertCount(2, $chart['lines']);
        self::assertIsArray($chart['lines'][0]);
        self::assertIsArray($chart['lines'][1]);
        // It keeps its colour.
        self::assertSame(['sqlite', []], [$chart['lines'][1]['name'], $chart['lines'][1]['points']]);
        self::assertSame(
            ['redis', [[0.0, 1_000], [0.5, 400], [0.988, 0]], false],
            [$chart['lines'][0]['name'], $chart['lines'][0]['points'], $chart['lines'][0]['steps']],
        );
    }

    #[Test]
    public function without_a_valid_run_there_is_no_depth(): void
    {
        self::assertNotContains(
            'lines',
            Drawn::kinds(self::section(Scenario::Empty, [Made::finding([Made::nothing()])])),
        );
    }

    #[Test]
    public function drivers_that_keep_jobs_differently_are_not_ranked_without_saying_so(): void
    {
        self::assertSame(
            ['grid', 'words', 'boxes', 'lines'],
            Drawn::kinds(self::section(Scenario::Empty, [Made::fast(), Made::finding(Made::rates([1]))])),
        );
        self::assertSame(['grid', 'boxes', 'lines'], Drawn::kinds(self::section(Scenario::Empty, [Made::fast()])));
    }

    #[Test]
    public function of_arrivals_the_waits_are_reported_and_drawn(): void
    {
        $findings = [
            Made::finding([Made::outcome(waits: [1.0, 2.0, 3.0])], 'a'),
            Made::finding([Made::outcome(1, [Fault::lost([1])], [9.0])], 'b'),
        ];
        $section = self::section(Scenario::Arrivals, $findings);
        $chart = Drawn::find($section, 'bars');

        self::assertSame(['a', 'b'], $chart['categories']);
        self::assertIsArray($chart['bars']);
        self::assertSame([[2.0, null], [2.98, null]], array_column($chart['bars'], 'values'));
        [$a, $b] = Drawn::cells(Drawn::find($section, 'grid'));
        self::assertSame(
            ['2.00 ms', '2.80 ms', '2.98 ms', '3.00 ms', [1, 1], '0', '0'],
            [...array_slice($a, 2, 4), Drawn::numbers($a[6]), $a[7], $a[8]],
        );
        self::assertSame(
            ["\u{2013}", "\u{2013}", "\u{2013}", "\u{2013}", [0, 1], '1 !', '0'],
            [...array_slice($b, 2, 4), Drawn::numbers($b[6]), $b[7], $b[8]],
        );
        self::assertStringEndsWith(' !', $b[6]);
        self::assertNotContains('boxes', Drawn::kinds($section));
    }

    #[Test]
    public function of_fates_there_is_a_table_and_nothing_that_alerts(): void
    {
        $section = self::section(
            Scenario::Slow,
            [Made::finding([Made::outcome(1, [Fault::double([1, 2]), Fault::failed(3)])]), Made::fast()],
        );

        self::assertSame(['plain', ['grid', 'bullets']], [$section['tone'], Drawn::kinds($section)]);
        self::assertContains(
            ['redis (Redis 7.0)', Durability::Seconds->words(), '1,000', '1,000', '2 !', '0', '3 !'],
            Drawn::cells(Drawn::find($section, 'grid')),
        );
    }

    #[Test]
    public function fates_that_were_not_seen_alert(): void
    {
        $section = self::section(Scenario::Slow, [Made::finding([], refused: 'redis: gone'), Made::fast()]);

        self::assertSame(['alert', ['grid', 'bullets']], [$section['tone'], Drawn::kinds($section)]);
        $row = array_column(Drawn::cells(Drawn::find($section, 'grid')), null, 0)['redis (Redis 7.0)'];
        self::assertMatchesRegularExpression('/^\D+ !$/', $row[2]);
        self::assertSame(['', '', '', ''], array_slice($row, 3));
    }

    #[Test]
    public function charts_have_the_order_of_the_table(): void
    {
        $findings = [
            Made::finding(Made::rates([1_000]), 'a', Durability::None),
            Made::finding(Made::rates([1_000]), 'b', Durability::None),
            Made::finding(Made::rates([2_000]), 'c', Durability::EachJob),
            Made::finding(Made::rates([3_000]), 'd', Durability::None),
        ];
        $section = self::section(Scenario::Empty, $findings);

        self::assertSame(['c', 'd', 'a', 'b'], array_column((array) Drawn::find($section, 'boxes')['boxes'], 'name'));
        self::assertSame(['c', 'd', 'a', 'b'], array_column((array) Drawn::find($section, 'lines')['lines'], 'name'));
    }

    #[Test]
    public function expected_fates_of_slow_jobs_are_explained_where_they_are_seen(): void
    {
        $twice = [Made::outcome(1, [Fault::double([1])])];
        $items = static fn (Finding $first, Finding ...$more): array => array_values(array_filter(
            (array) Drawn::find(self::section(Scenario::Slow, [$first, ...array_values($more)]), 'bullets')['items'],
            is_string(...),
        ));
        $one = $items(Made::finding($twice));
        $alone = $items(Made::finding($twice), Made::alone(Made::finding($twice, 'sqlite')));
        $beanstalkd = $items(Made::finding($twice), self::beanstalkd($twice));

        self::assertSame([1, 2, 2], array_map(count(...), [$one, $alone, $beanstalkd]));
        self::assertSame([$one[0], $one[0]], [$alone[0], $beanstalkd[0]]);
        self::assertStringContainsString('beanstalkd', $beanstalkd[1]);
        self::assertNotSame($alone[1], $beanstalkd[1]);
        Snapshot::assertPrinted('bench queues', 'slow jobs', implode("\n", [...$alone, $beanstalkd[1]]));
        // A missing measurement explains nothing.
        self::assertSame(['gone'], $items(Made::alone(Made::finding([], refused: 'gone'))));
    }

    #[Test]
    public function a_row_of_one_worker_shows_in_the_table_and_the_charts(): void
    {
        $section = self::section(
            Scenario::Empty,
            [Made::fast(), Made::alone(Made::finding(Made::rates([620]), 'sqlite'))],
        );
        $names = static fn (string $kind, string $key): array
            => array_column((array) Drawn::find($section, $kind)[$key], 'name');

        $label = Made::alone(Made::finding([], 'sqlite'))->variant->label();

        self::assertStringStartsWith('sqlite, ', $label);
        self::assertSame(
            ["{$label} (Redis 7.0)", 'beanstalkd (Redis 7.0)'],
            array_column(Drawn::cells(Drawn::find($section, 'grid')), 0),
        );
        self::assertSame(
            [[$label, 'beanstalkd'], [$label, 'beanstalkd']],
            [$names('boxes', 'boxes'), $names('lines', 'lines')],
        );
        self::assertSame(
            [$label],
            self::block(
                Scenario::Arrivals,
                [Made::alone(Made::finding([Made::outcome(waits: [1.0])], 'sqlite'))],
                'bars',
            )['categories'],
        );
    }

    /** @param list<Outcome> $outcomes */
    private static function beanstalkd(array $outcomes): Finding
    {
        return new Finding(
            new Variant('jobs', new DriverFacts('beanstalkd 1.12', Durability::None), new Workload(1_000, 0, 10)),
            $outcomes,
            1,
        );
    }

    /**
     * @param non-empty-list<Finding> $findings
     * @return array<string, mixed>
     */
    private static function section(Scenario $scenario, array $findings): array
    {
        return (new ScenarioSection($scenario, new Findings($findings)))->draw()->toArray();
    }

    /**
     * @param non-empty-list<Finding> $findings
     * @return array<array-key, mixed>
     */
    private static function block(Scenario $scenario, array $findings, string $kind): array
    {
        return Drawn::find(self::section($scenario, $findings), $kind);
    }
}
