<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Report;

use Headroom\Process\TemporaryDirectory;
use Headroom\Report\Page\BarChart;
use Headroom\Report\Page\Bars;
use Headroom\Report\Page\Cell;
use Headroom\Report\Page\Code;
use Headroom\Report\Page\Details;
use Headroom\Report\Page\Page;
use Headroom\Report\Page\Paragraph;
use Headroom\Report\Page\Section;
use Headroom\Report\Page\Table;
use Headroom\Report\Page\Tone;
use Headroom\Report\Page\Unit;
use Headroom\Tests\Acceptance\Charts\Browser;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * A page with one of each block, as a browser shows it.
 *
 * @phpstan-import-type Seen from Browser
 * @phpstan-import-type Blocks from Browser
 */
final class PageTest extends TestCase
{
    private const SHOWN = '<img src=x onerror=alert(1)>&amp;���</script><script>alert(2)</script>';

    /** @var ?Blocks what several tests look at */
    private static ?array $seen = null;

    private TemporaryDirectory $directory;

    protected function setUp(): void
    {
        $this->directory = TemporaryDirectory::create('page');
    }

    protected function tearDown(): void
    {
        $this->directory->remove();
    }

    #[Test]
    public function each_chart_is_drawn_of_the_numbers_that_its_table_has(): void
    {
        $figures = $this->seen()['figures'];

        self::assertSame(
            [
                'rates-boxes', 'time-rates', 'time-depth', 'time-none', 'counts-stores', 'counts-sizes', 'counts-time',
                'changes-cpu',
            ],
            array_keys($figures),
        );

        foreach (array_diff_key($figures, ['time-none' => null]) as $id => $figure) {
            self::assertSame('img', $figure['role'], $id);
            self::assertGreaterThan(300, $figure['ink'], $id);
            self::assertTrue($figure['folded'], $id);
        }

        self::assertSame(
            ['redis', '4,700/s', '5,175/s', '5,205/s', '5,228/s', '5,260/s', '10', '1,050/s'],
            $figures['rates-boxes']['rows'][2],
        );
        self::assertSame([4700, 5175, 5205, 5227.5, 5260], $figures['rates-boxes']['drawn']['boxplot quartiles'][1]);
        self::assertCount(20, $figures['rates-boxes']['drawn']['scatter run']);
        self::assertSame(
            [[1100, 0], [1050, 1], [250, 2]],
            $figures['rates-boxes']['drawn']['scatter the article, another machine'],
        );

        self::assertSame(
            ['65 s', '700', '3.40 ms', '6.60 ms', '4.10 s', '12 errors'],
            $figures['time-rates']['rows'][7],
        );
        self::assertSame([75, null], $figures['time-rates']['drawn']['line stack A, p50'][7]);
        self::assertSame(['value', 'log'], $figures['time-rates']['axes']);
        // The one that stands nowhere else stands at the foot of the axis.
        $marks = array_filter(
            $figures['time-rates']['drawn'],
            static fn (string $name): bool => str_starts_with($name, 'scatter '),
            ARRAY_FILTER_USE_KEY,
        );
        self::assertSame([[[65, 4100], [75, 1]]], array_values($marks));
        self::assertSame(
            ['stack X, p50', 'stack X, p95', 'stack A, p50'],
            array_slice($figures['time-rates']['legend'], 0, 3),
        );
        self::assertCount(4, $figures['time-rates']['legend']);

        $stores = $figures['counts-stores'];
        self::assertSame(
            [2200, null, ['database', '2,200/s', '–']],
            [$stores['drawn']['bar redis'][2], $stores['drawn']['bar MariaDB'][2], $stores['rows'][3]],
        );
        self::assertSame(
            [['value', 'category'], [1234, 640, 18_400]],
            [$figures['counts-sizes']['axes'], $figures['counts-sizes']['drawn']['bar payload']],
        );
        $changes = $figures['changes-cpu']['drawn'];
        self::assertSame(
            [[-9.4, -9.4, -8.1, -7.6, -7.6], [-8.1, 0]],
            [$changes['boxplot quartiles'][0], $changes['scatter median'][0]],
        );
    }

    #[Test, Group('day-2')]
    public function a_chart_writes_the_numbers_of_its_table(): void
    {
        $values = [1.7, 1, 0.5, 1234.5];
        $page = new Page('Numbers', 'as they are', [new Section('one', 'One', [new BarChart(
            'bars',
            'Ratios',
            '',
            ['a', 'b', 'c', 'd'],
            Unit::Times,
            [new Bars('here', $values)],
            isHorizontal: true,
        )])]);
        $figure = $this->look($page, [['page' => 'seen']])['pages']['seen']['figures']['bars'];

        self::assertSame(['1.70x', '1.00x', '0.500x', '1,235x'], $figure['written']);
        self::assertSame($figure['written'], array_column(array_slice($figure['rows'], 1), 1));
    }

    #[Test, Group('day-3')]
    public function words_in_the_place_of_a_number_do_not_move_its_column(): void
    {
        $page = new Page(
            'Columns',
            'as they stand',
            [new Section('one', 'One', [new Table(['', 'alert', 'quiet', 'none', 'words', 'of both'], [
                ['a', '1,234', '12 ms', '–', 'never', '3'],
                [
                    'b',
                    new Cell('not valid', 'no run was valid', Tone::Alert),
                    new Cell('not measured', '', Tone::Quiet),
                    '',
                    new Cell('not valid', '', Tone::Alert),
                    'always',
                ],
            ]), new BarChart('bars', 'What is waited for', '', ['a'], Unit::Count, [new Bars('a', [1])])])],
        );

        self::assertSame(
            ['alert', 'quiet', 'none'],
            $this->look($page, [['page' => 'seen']])['pages']['seen']['right']['one'],
        );
    }

    #[Test, Group('day-1')]
    public function a_chart_is_described_to_readers_without_a_picture(): void
    {
        $figures = $this->seen()['figures'];

        self::assertSame(
            'CPU time of GET /. The dot is the median, the bar goes from quartile to quartile. Grey: no difference.'
                .' all files: -8.1 %; hot files: -5.2 %; vendor: +0.3 %, no difference seen; nothing: not measured.',
            $figures['changes-cpu']['label'],
        );
        self::assertStringContainsString(
            'database, SQLite no run was valid.',
            (string) $figures['rates-boxes']['label'],
        );
        self::assertSame(
            [null, 0, [['0 s', '–'], ['1 s', '–']]],
            [
                $figures['time-none']['role'],
                $figures['time-none']['ink'],
                array_slice($figures['time-none']['rows'], 1),
            ],
        );
    }

    #[Test, Group('day-1')]
    public function words_and_tables_stand_where_they_belong(): void
    {
        $seen = $this->seen();

        self::assertSame(
            [
                'warnings' => 'alert',
                'texts' => 'plain',
                'rates' => 'plain',
                'time' => 'plain',
                'counts' => 'plain',
                'changes' => 'good',
            ],
            $seen['sections'],
        );
        self::assertSame(['#warnings', '#texts', '#rates', '#time', '#counts', '#changes'], $seen['contents']);
        self::assertSame(['driver', 'jobs/s', 'runs', 'durable', 'the doctor'], $seen['tables']['texts'][0][0]);
        self::assertSame(
            ['redis', '5,200 5,150 to 5,260', '10', 'each second', 'Good: as fast as it can be'],
            $seen['tables']['texts'][0][1],
        );
        self::assertSame(
            [
                ['Waits for the disk, which is slow on this machine', '#rates'],
                ['See the queues', 'queues.html#beanstalkd'],
            ],
            $seen['links'],
        );
        self::assertSame(
            [
                'php tests',
                'a piece of code',
                "php artisan headroom:bench:queues \\\n    --drivers redis,database:mariadb --jobs 10000",
            ],
            $seen['code'],
        );
        // The page does not repeat the heading of the section.
        self::assertCount(1, array_keys($seen['headings'], 'Jobs per second', true));
    }

    #[Test, Group('day-2')]
    public function text_never_becomes_markup(): void
    {
        $page = new Page(EveryBlock::HOSTILE, EveryBlock::HOSTILE, [new Section('one', EveryBlock::HOSTILE, [
            new Paragraph(EveryBlock::HOSTILE), new Code(EveryBlock::HOSTILE), new Details(EveryBlock::HOSTILE, []),
            new BarChart(
                'bars',
                EveryBlock::HOSTILE,
                EveryBlock::HOSTILE,
                [EveryBlock::HOSTILE, '{name|a}'],
                Unit::Count,
                [new Bars(EveryBlock::HOSTILE, [1, 2]), new Bars('{below|b}', [1, 2])],
                isHorizontal: true,
            ),
        ])]);
        $seen = $this->look(
            $page,
            [['hover' => '#bars canvas', 'at' => ['x' => 300, 'y' => 40]], ['page' => 'seen']],
        )['pages']['seen'];

        self::assertSame([0, self::SHOWN, [self::SHOWN]], [$seen['foreign'], $seen['what'], $seen['code']]);
        self::assertStringStartsWith('<img src=x onerror=alert(1)>&amp;', $seen['title']);
        self::assertSame(
            [$seen['title'], self::SHOWN, self::SHOWN],
            [$seen['headings'][0], $seen['headings'][1], $seen['code'][0]],
        );
        self::assertSame([self::SHOWN, '{below|b}'], $seen['figures']['bars']['legend']);
        self::assertSame(['', self::SHOWN, '{below|b}'], $seen['figures']['bars']['rows'][0]);
        // Headings, words, code, what unfolds, the note and the legend; the heading of the page is above.
        self::assertSame(6, substr_count(self::told($seen['text']), self::SHOWN), $seen['text']);
    }

    #[Test, Group('day-3')]
    public function it_is_read_in_light_and_in_dark_and_changes_with_the_reader(): void
    {
        $pages = $this->look(EveryBlock::page(), [
            ['page' => 'light'],
            ...$this->picture('light'),
            ['dark' => true],
            ['page' => 'dark'],
            ...$this->picture('dark'),
            ['dark' => false],
            ['page' => 'again'],
        ])['pages'];

        self::assertSame(
            ['rgb(246, 247, 249)', 'rgb(18, 21, 27)'],
            [$pages['light']['background'], $pages['dark']['background']],
        );
        self::assertSame(
            [[], []],
            [$pages['light']['faint'], $pages['dark']['faint']],
            'The contrast of text is 4.5 or more.',
        );
        self::assertGreaterThan(60, $pages['light']['told']);
        self::assertSame($pages['light'], $pages['again']);
        self::assertNotSame(
            array_column($pages['light']['figures'], 'ink'),
            array_column($pages['dark']['figures'], 'ink'),
        );
        self::assertSame(
            array_column($pages['light']['figures'], 'drawn'),
            array_column($pages['dark']['figures'], 'drawn'),
        );
    }

    #[Test, Group('day-2')]
    public function a_telephone_shows_all_of_it_without_scrolling_sideways(): void
    {
        $wide = $this->look(EveryBlock::page(), [['page' => 'wide'], ['resize' => 360], ['page' => 'turned']])['pages'];
        $narrow = $this->look(
            EveryBlock::page(),
            [['page' => 'narrow'], ...$this->picture('narrow')],
            360,
        )['pages']['narrow'];

        self::assertSame([0, 0, 0], [$wide['wide']['overflow'], $wide['turned']['overflow'], $narrow['overflow']]);
        self::assertSame(0, $narrow['sideways'], 'A row of a table is a list there.');
        self::assertSame($wide['wide']['tables'], $narrow['tables']);

        foreach ($narrow['figures'] as $id => $figure) {
            self::assertLessThan(360, $figure['width'], $id);
            self::assertSame($wide['wide']['figures'][$id]['rows'], $figure['rows']);
            self::assertSame($figure['width'], $wide['turned']['figures'][$id]['width'], 'A chart follows its place.');
        }
    }

    #[Test, Group('day-1')]
    public function on_paper_all_is_unfolded(): void
    {
        $pages = $this->look(EveryBlock::page(), [
            ['page' => 'screen'],
            ['print' => true],
            ['page' => 'paper'],
            ...$this->picture('paper'),
            ['print' => false],
            ['page' => 'after'],
        ])['pages'];

        self::assertSame([false], array_values(array_unique(array_column($pages['paper']['figures'], 'folded'))));
        self::assertStringContainsString('AMD EPYC', $pages['paper']['text']);
        self::assertSame(0, $pages['paper']['overflow']);
        self::assertSame([true], array_values(array_unique(array_column($pages['after']['figures'], 'folded'))));
    }

    #[Test, Group('day-3')]
    public function an_entry_of_the_legend_hides_what_it_names(): void
    {
        $pages = $this->look(EveryBlock::page(), [
            ['click' => '#counts-stores .legend li:first-child button'],
            ['page' => 'one'],
            ['press' => 'Enter'],
            ['page' => 'both'],
        ])['pages'];

        self::assertSame(['bar MariaDB'], array_keys($pages['one']['figures']['counts-stores']['drawn']));
        self::assertSame(['bar redis', 'bar MariaDB'], array_keys($pages['both']['figures']['counts-stores']['drawn']));
    }

    #[Test, Group('day-1')]
    public function an_address_leads_to_what_is_folded_away(): void
    {
        $chart = new BarChart('deep', 'Deep', '', ['a'], Unit::Count, [new Bars('b', [1])]);
        $page = new Page(
            'Folded',
            '',
            [new Section('one', 'One', [new Details('More', [new Details('Yet more', [$chart])])])],
        );
        $seen = $this->look($page, [['await' => '#deep canvas'], ['page' => 'seen']], place: '#deep')['pages']['seen'];

        self::assertStringContainsString('Yet more', $seen['text']);
        self::assertGreaterThan(200, $seen['figures']['deep']['width']);
        self::assertGreaterThan(1_000, $seen['figures']['deep']['ink']);
    }

    /**
     * @param list<array<string, mixed>> $steps
     * @return Seen
     */
    private function look(Page $page, array $steps, int $width = 1280, string $place = ''): array
    {
        $path = $this->directory->file('page.html');
        self::assertNotFalse(file_put_contents($path, $page->html()));
        $seen = Browser::look("file://{$path}{$place}", [['await' => 'figure'], ...$steps], $width);

        self::assertSame([[], []], [$seen['errors'], $seen['elsewhere']]);
        self::assertSame(
            ["file://{$path}"],
            array_values(array_filter(
                $seen['requests'],
                static fn (string $url): bool => ! str_starts_with($url, 'data:'),
            )),
        );

        return $seen;
    }

    /** @return Blocks */
    private function seen(): array
    {
        return self::$seen ??= $this->look(EveryBlock::page(), [['page' => 'seen']])['pages']['seen'];
    }

    /** @return list<array<string, mixed>> */
    private function picture(string $kind): array
    {
        $pictures = getenv('HEADROOM_PICTURES');

        return $pictures === false ? [] : [['picture' => "{$pictures}/page-{$kind}.png"]];
    }

    private static function told(string $text): string
    {
        return str_replace("\n", ' ', $text);
    }
}
