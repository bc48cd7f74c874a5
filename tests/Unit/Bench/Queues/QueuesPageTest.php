<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Bench\Queues;

use Headroom\Bench\Queues\DriverFacts;
use Headroom\Bench\Queues\Durability;
use Headroom\Bench\Queues\Fault;
use Headroom\Bench\Queues\Finding;
use Headroom\Bench\Queues\Findings;
use Headroom\Bench\Queues\Given;
use Headroom\Bench\Queues\Outcome;
use Headroom\Bench\Queues\QueuesPage;
use Headroom\Bench\Queues\Scenario;
use Headroom\Bench\Queues\ScenarioSection;
use Headroom\Bench\Queues\Variant;
use Headroom\Bench\Queues\Workload;
use Headroom\Report\Page\Page;
use Headroom\Report\Page\Reference;
use Headroom\Tests\Support\Snapshot;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

#[Group('snapshot')]
final class QueuesPageTest extends TestCase
{
    #[Test]
    public function a_row_of_the_table_is_a_driver_with_its_figures(): void
    {
        $grid = self::block(Scenario::Empty, [Made::finding(Made::rates([1_000, 1_100, 1_200])), self::fast()], 'grid');

        [$redis, $beanstalkd] = self::cells($grid);

        self::assertCount(8, (array) $grid['headings']);
        self::assertSame(['redis (Redis 7.0)', Durability::Seconds->words()], array_slice($redis, 0, 2));
        self::assertMatchesRegularExpression('/^1,100 .*1,050.*1,150/', $redis[2]);
        self::assertSame(
            ['9.1 %', '1,000', [3, 3], '0', '0'],
            [$redis[3], $redis[4], self::numbers($redis[5]), $redis[6], $redis[7]],
        );
        self::assertSame(['beanstalkd (Redis 7.0)', Durability::None->words()], array_slice($beanstalkd, 0, 2));
        self::assertMatchesRegularExpression('/^9,000\D+$/', $beanstalkd[2]);
        self::assertSame(
            ["\u{2013}", '1,000', [1, 1], '0', '0'],
            [$beanstalkd[3], $beanstalkd[4], self::numbers($beanstalkd[5]), $beanstalkd[6], $beanstalkd[7]],
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
            [self::fast(), Made::finding([Made::outcome(5_000, [Fault::double([1])]), Made::throttled()])],
        );
        $row = array_column(self::cells(self::find($section, 'grid')), null, 0)['redis (Redis 7.0)'];

        self::assertSame('alert', $section['tone']);
        self::assertSame(
            ['redis (Redis 7.0)', Durability::Seconds->words(), '', '', '0', '1 !'],
            [$row[0], $row[1], $row[3], $row[4], $row[6], $row[7]],
        );
        self::assertMatchesRegularExpression('/^\D+ !$/', $row[2]);
        self::assertSame([[0, 1, 1], true], [self::numbers($row[5]), str_ends_with($row[5], ' !')]);
        $items = (array) self::find($section, 'bullets')['items'];
        self::assertSame(
            Made::finding([Made::outcome(5_000, [Fault::double([1])]), Made::throttled()])->complaints(),
            $items,
        );
        Snapshot::assertPrinted('bench queues', 'a row of the page that is not valid', implode(' | ', $row));
    }

    #[Test]
    public function a_driver_that_could_not_be_measured_alerts_too(): void
    {
        $section = self::section(Scenario::Empty, [self::fast(), Made::finding([], refused: 'redis: gone')]);

        self::assertSame('alert', $section['tone']);
        self::assertSame(['redis: gone'], self::find($section, 'bullets')['items']);
    }

    #[Test]
    public function a_run_that_the_machine_spoilt_alone_does_not_alert(): void
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
            ['redis' => new Reference(1_234, 'the article')],
        );

        self::assertSame(['empty-rates', 'per_second'], [$chart['id'], $chart['unit']]);
        self::assertIsArray($chart['boxes']);
        self::assertIsArray($chart['boxes'][0]);
        self::assertIsArray($chart['boxes'][1]);
        self::assertSame(
            ['redis', [1_200.0, 1_000.0, 1_100.0], ['value' => 1_234, 'label' => 'the article']],
            [$chart['boxes'][0]['name'], $chart['boxes'][0]['samples'], $chart['boxes'][0]['reference']],
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
        // It keeps its turn among the colours.
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
            self::kinds(self::section(Scenario::Empty, [Made::finding([Made::nothing()])])),
        );
    }

    #[Test]
    public function drivers_that_keep_jobs_differently_are_not_ranked_without_saying_so(): void
    {
        self::assertSame(
            ['grid', 'words', 'boxes', 'lines'],
            self::kinds(self::section(Scenario::Empty, [self::fast(), Made::finding(Made::rates([1]))])),
        );
        self::assertSame(['grid', 'boxes', 'lines'], self::kinds(self::section(Scenario::Empty, [self::fast()])));
    }

    #[Test]
    public function of_arrivals_the_waits_are_told_and_drawn(): void
    {
        $findings = [
            Made::finding([Made::outcome(waits: [1.0, 2.0, 3.0])], 'a'),
            Made::finding([Made::outcome(1, [Fault::lost([1])], [9.0])], 'b'),
        ];
        $section = self::section(Scenario::Arrivals, $findings);
        $chart = self::find($section, 'bars');

        self::assertSame(['a', 'b'], $chart['categories']);
        self::assertIsArray($chart['bars']);
        self::assertSame([[2.0, null], [2.98, null]], array_column($chart['bars'], 'values'));
        [$a, $b] = self::cells(self::find($section, 'grid'));
        self::assertSame(
            ['2.00 ms', '2.80 ms', '2.98 ms', '3.00 ms', [1, 1], '0', '0'],
            [...array_slice($a, 2, 4), self::numbers($a[6]), $a[7], $a[8]],
        );
        self::assertSame(
            ["\u{2013}", "\u{2013}", "\u{2013}", "\u{2013}", [0, 1], '1 !', '0'],
            [...array_slice($b, 2, 4), self::numbers($b[6]), $b[7], $b[8]],
        );
        self::assertStringEndsWith(' !', $b[6]);
        self::assertNotContains('boxes', self::kinds($section));
    }

    #[Test]
    public function of_fates_there_is_a_table_and_nothing_that_alerts(): void
    {
        $section = self::section(
            Scenario::Slow,
            [Made::finding([Made::outcome(1, [Fault::double([1, 2]), Fault::failed(3)])]), self::fast()],
        );

        self::assertSame(['plain', ['grid', 'bullets']], [$section['tone'], self::kinds($section)]);
        self::assertContains(
            ['redis (Redis 7.0)', Durability::Seconds->words(), '1,000', '1,000', '2 !', '0', '3 !'],
            self::cells(self::find($section, 'grid')),
        );
    }

    #[Test]
    public function fates_that_were_not_seen_alert(): void
    {
        $section = self::section(Scenario::Slow, [Made::finding([], refused: 'redis: gone'), self::fast()]);

        self::assertSame(['alert', ['grid', 'bullets']], [$section['tone'], self::kinds($section)]);
        $row = array_column(self::cells(self::find($section, 'grid')), null, 0)['redis (Redis 7.0)'];
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

        self::assertSame(['c', 'd', 'a', 'b'], array_column((array) self::find($section, 'boxes')['boxes'], 'name'));
        self::assertSame(['c', 'd', 'a', 'b'], array_column((array) self::find($section, 'lines')['lines'], 'name'));
    }

    #[Test]
    public function expected_fates_of_slow_jobs_are_explained_where_they_are_seen(): void
    {
        $twice = [Made::outcome(1, [Fault::double([1])])];
        $items = static fn (Finding $first, Finding ...$more): array => array_values(array_filter(
            (array) self::find(self::section(Scenario::Slow, [$first, ...array_values($more)]), 'bullets')['items'],
            is_string(...),
        ));
        $one = $items(Made::finding($twice));
        $alone = $items(Made::finding($twice), self::alone(Made::finding($twice, 'sqlite')));
        $beanstalkd = $items(Made::finding($twice), self::beanstalkd($twice));

        self::assertSame([1, 2, 2], array_map(count(...), [$one, $alone, $beanstalkd]));
        self::assertSame([$one[0], $one[0]], [$alone[0], $beanstalkd[0]]);
        self::assertStringContainsString('beanstalkd', $beanstalkd[1]);
        self::assertNotSame($alone[1], $beanstalkd[1]);
        Snapshot::assertPrinted('bench queues', 'slow jobs', implode("\n", [...$alone, $beanstalkd[1]]));
        // What was not measured explains nothing.
        self::assertSame(['gone'], $items(self::alone(Made::finding([], refused: 'gone'))));
    }

    #[Test]
    public function a_row_of_one_worker_says_so_in_the_table_and_the_charts(): void
    {
        $section = self::section(
            Scenario::Empty,
            [self::fast(), self::alone(Made::finding(Made::rates([620]), 'sqlite'))],
        );
        $names = static fn (string $kind, string $key): array
            => array_column((array) self::find($section, $kind)[$key], 'name');

        $label = self::alone(Made::finding([], 'sqlite'))->variant->label();

        self::assertStringStartsWith('sqlite, ', $label);
        self::assertSame(
            ["{$label} (Redis 7.0)", 'beanstalkd (Redis 7.0)'],
            array_column(self::cells(self::find($section, 'grid')), 0),
        );
        self::assertSame(
            [[$label, 'beanstalkd'], [$label, 'beanstalkd']],
            [$names('boxes', 'boxes'), $names('lines', 'lines')],
        );
        self::assertSame(
            [$label],
            self::block(
                Scenario::Arrivals,
                [self::alone(Made::finding([Made::outcome(waits: [1.0])], 'sqlite'))],
                'bars',
            )['categories'],
        );
    }

    #[Test]
    public function the_page_has_the_scenarios_and_each_driver_once(): void
    {
        $page = (new QueuesPage(
            [
                'empty' => new Findings([self::fast(), Made::finding(Made::rates([1]))]),
                'cache' => new Findings([
                    Made::finding(Made::rates([1]), 'redis, CACHE_STORE=array'),
                    Made::finding(Made::rates([1]), 'redis, CACHE_STORE=file'),
                ]),
            ],
            new Given(5, 1.5, 3),
            [
                'cpu' => 'A CPU',
                'cores' => 2,
                'date' => '2026-01-02',
                'kernel' => ['no text'],
                'ini' => ['opcache.enable_cli' => '1'],
            ],
            ['redis' => new Reference(5, 'the article')],
        ))->page();
        $sections = array_column($page->toArray()['sections'], null, 'id');

        self::assertSame(['empty', 'cache', 'drivers', 'reading', 'machine'], array_keys($sections));
        self::assertMatchesRegularExpression('/\bqueue:work\b\D+\b3\b\D+2026-01-02$/', $page->what);
        self::assertSame([
            ['beanstalkd', 'Redis 7.0', Durability::None->words(), 'appendfsync = everysec', 'a note'],
            ['redis', 'Redis 7.0', Durability::Seconds->words(), 'appendfsync = everysec', 'a note'],
        ], self::cells(self::find($sections['drivers'], 'grid')));
        self::assertSame(
            ['A CPU', '2', '2026-01-02', '3', '5', '1.5'],
            array_column((array) self::find($sections['machine'], 'facts')['facts'], 1),
        );
        Snapshot::assertPrinted(
            'bench queues',
            'the page',
            (string) json_encode(
                [$page->what, $sections['reading'], $sections['machine']],
                JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE,
            ),
        );
        // The article measured empty jobs only.
        self::assertSame(
            [true, false],
            array_map(
                static fn (string $id): bool => str_contains((string) json_encode($sections[$id]), 'the article'),
                ['empty', 'cache'],
            ),
        );
    }

    #[Test]
    public function one_worker_is_not_taken_for_ten(): void
    {
        $page = static fn (int $workers, Given $given): Page => (new QueuesPage(
            ['empty' => new Findings([
                Made::finding(Made::rates([1])), $workers === 1 ? self::alone(self::fast()) : self::fast(),
            ])],
            $given,
            [],
        ))->page();

        $all = [$page(1, new Given)->what, $page(10, new Given)->what, $page(1, new Given(workers: 1))->what];

        self::assertSame([[10], [10], [1]], array_map(self::numbers(...), $all));
        self::assertNotSame($all[0], $all[1]);
        self::assertSame(str_replace('10', '1', $all[1]), $all[2]);
        Snapshot::assertPrinted('bench queues', 'the page, where some rows have one worker', $all[0]);
    }

    #[Test]
    public function thousands_are_apart(): void
    {
        $page = (new QueuesPage(
            ['empty' => new Findings([self::fast()])],
            new Given(12_345, workers: 1_234),
            ['memory_mb' => 24_105, 'date' => '2026-01-02'],
        ))->page();
        $machine = self::find(array_column($page->toArray()['sections'], null, 'id')['machine'], 'facts');

        self::assertSame(
            ['24,105', '2026-01-02', '1,234', '12,345'],
            array_slice(array_column((array) $machine['facts'], 1), 0, 4),
        );
    }

    #[Test]
    public function all_scenarios_together_are_one_page(): void
    {
        $findings = [];

        foreach (Scenario::cases() as $scenario) {
            $findings[$scenario->value] = new Findings([
                Made::finding([Made::nothing()]),
                Made::finding([], 'b', refused: "broken \xff"),
                Made::finding([Made::outcome(waits: [1.0])], 'c', Durability::Unknown),
            ]);
        }

        $page = (new QueuesPage($findings, new Given, []))->page();

        $sections = array_filter(array_column($page->toArray()['sections'], 'id'), is_string(...));
        self::assertSame([], array_diff(array_keys($findings), $sections));
        self::assertStringContainsString('page_data', $page->html());
    }

    /** @return list<int> */
    private static function numbers(string $text): array
    {
        preg_match_all('/\d+/', $text, $found);

        return array_map(intval(...), $found[0]);
    }

    private static function fast(): Finding
    {
        return Made::finding(Made::rates([9_000]), 'beanstalkd', Durability::None);
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

    /** The same with one worker. */
    private static function alone(Finding $finding): Finding
    {
        return new Finding(
            $finding->variant->given($finding->variant->workload->by(1)),
            $finding->outcomes,
            $finding->rounds,
            $finding->refused,
        );
    }

    /**
     * @param non-empty-list<Finding> $findings
     * @param array<string, Reference> $references
     * @return array<string, mixed>
     */
    private static function section(Scenario $scenario, array $findings, array $references = []): array
    {
        return (new ScenarioSection($scenario, new Findings($findings), $references))->draw()->toArray();
    }

    /**
     * @param non-empty-list<Finding> $findings
     * @param array<string, Reference> $references
     * @return array<array-key, mixed>
     */
    private static function block(Scenario $scenario, array $findings, string $kind, array $references = []): array
    {
        return self::find(self::section($scenario, $findings, $references), $kind);
    }

    /**
     * @param array<string, mixed> $section
     * @return array<array-key, mixed>
     */
    private static function find(array $section, string $kind): array
    {
        foreach ((array) $section['blocks'] as $block) {
            if (is_array($block) && in_array($kind, self::kind($block), true)) {
                return $block;
            }
        }

        self::fail("There is no {$kind}.");
    }

    /**
     * @param array<string, mixed> $section
     * @return list<string>
     */
    private static function kinds(array $section): array
    {
        return array_map(
            static fn (mixed $block): string => is_array($block) ? self::kind($block)[0] : '',
            array_values((array) $section['blocks']),
        );
    }

    /**
     * @param array<array-key, mixed> $block
     * @return array{string}
     */
    private static function kind(array $block): array
    {
        return [is_string($block['kind'] ?? null) ? $block['kind'] : ''];
    }

    /**
     * @param array<array-key, mixed> $grid
     * @return list<list<string>> text, note in brackets, and a mark when it alerts
     */
    private static function cells(array $grid): array
    {
        $text = static fn (mixed $value): string => is_string($value) ? $value : '';
        $rows = [];

        foreach ((array) $grid['rows'] as $row) {
            $rows[] = array_map(
                static fn (mixed $cell): string => is_array($cell)
                    ? $text($cell['text']).($cell['note'] === '' ? '' : " ({$text($cell['note'])})")
                        .($cell['tone'] === 'alert' ? ' !' : '')
                    : $text($cell),
                array_values((array) $row),
            );
        }

        return $rows;
    }
}
