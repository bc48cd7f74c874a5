<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Report\Page;

use Closure;
use Headroom\Report\Page\BarChart;
use Headroom\Report\Page\Bars;
use Headroom\Report\Page\BoxPlot;
use Headroom\Report\Page\BulletList;
use Headroom\Report\Page\Cell;
use Headroom\Report\Page\Code;
use Headroom\Report\Page\Columns;
use Headroom\Report\Page\Details;
use Headroom\Report\Page\InvalidPage;
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
use Headroom\Tests\Support\Sentence;
use Headroom\Tests\Support\Snapshot;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

#[Group('snapshot')]
final class PageTest extends TestCase
{
    #[Test]
    public function a_page_is_its_sections_and_their_blocks(): void
    {
        $page = new Page('Title', 'What it is', [new Section('one', 'One', [
            Paragraph::lead('First'), Paragraph::note('Small'), new Paragraph('Bad', Tone::Alert),
            new BulletList(['a', 'b']),
            new KeyFigures([['jobs', '10']], true),
            new Table(['driver', 'jobs/s'], [['redis', new Cell('5', 'note', Tone::Good, '#one')]], 'Caption'),
            new Code('make'), new Details('More', [new Paragraph('Inside')]), new Columns([new Paragraph('Beside')]),
        ], Tone::Good)]);

        self::assertSame(
            [
                'kind' => 'page',
                'what' => 'What it is',
                'sections' => [['id' => 'one', 'title' => 'One', 'tone' => 'good', 'blocks' => [
                    ['kind' => 'words', 'text' => 'First', 'weight' => 'lead', 'tone' => 'plain'],
                    ['kind' => 'words', 'text' => 'Small', 'weight' => 'note', 'tone' => 'quiet'],
                    ['kind' => 'words', 'text' => 'Bad', 'weight' => 'plain', 'tone' => 'alert'],
                    ['kind' => 'bullets', 'items' => ['a', 'b']],
                    ['kind' => 'facts', 'facts' => [['jobs', '10']], 'small' => true],
                    [
                        'kind' => 'grid',
                        'headings' => ['driver', 'jobs/s'],
                        'rows' => [['redis', ['text' => '5', 'note' => 'note', 'tone' => 'good', 'link' => '#one']]],
                        'caption' => 'Caption',
                    ],
                    ['kind' => 'code', 'text' => 'make'],
                    [
                        'kind' => 'details',
                        'summary' => 'More',
                        'blocks' => [['kind' => 'words', 'text' => 'Inside', 'weight' => 'plain', 'tone' => 'plain']],
                    ],
                    [
                        'kind' => 'side',
                        'blocks' => [['kind' => 'words', 'text' => 'Beside', 'weight' => 'plain', 'tone' => 'plain']],
                    ],
                ]]],
            ],
            $page->toArray(),
        );
    }

    #[Test]
    public function the_page_is_one_file_with_its_title(): void
    {
        $html = (new Page('Queues & more', '', []))->html();

        self::assertStringStartsWith('<!doctype html>', $html);
        self::assertStringContainsString('<title>Queues &amp; more</title>', $html);
        self::assertSame(0, preg_match('~<(?:script|link|img)[^>]*(?:src|href)="(?!data:)~', $html));
    }

    #[Test]
    public function a_chart_anywhere_on_the_page_has_an_id_of_its_own(): void
    {
        $chart = new BarChart('bars', 'Bars', '', [], Unit::Count, []);

        $this->expectExceptionObject(InvalidPage::twice('bars'));
        new Page('Title', '', [
            new Section('one', 'One', [new Details('More', [new Columns([$chart])])]),
            new Section('bars', 'Two', []),
        ]);
    }

    /**
     * @param Closure(): mixed $made
     * @param InvalidPage|list<string> $told the failure, or the names and numbers in its message
     */
    #[Test]
    #[DataProvider('mistakes')]
    public function a_mistake_is_told_where_it_is_made(Closure $made, InvalidPage|array $told): void
    {
        try {
            $made();
            self::fail('It was taken.');
        } catch (InvalidPage $e) {
            $told instanceof InvalidPage
                ? self::assertEquals($told, $e)
                : Sentence::assertNames($told, $e->getMessage());
        }
    }

    /** @return iterable<string, array{Closure(): mixed, InvalidPage|list<string>}> */
    public static function mistakes(): iterable
    {
        yield 'no title' => [static fn (): Page => new Page(' ', '', []), []];
        yield 'an id with a capital' => [
            static fn (): Section => new Section('Jobs', 'Jobs', []), InvalidPage::id('Jobs'),
        ];
        yield 'an id with a newline' => [
            static fn (): Section => new Section("jobs\n", 'Jobs', []), InvalidPage::id("jobs\n"),
        ];
        yield 'a section without a title' => [static fn (): Section => new Section('jobs', '', []), ["'jobs'"]];
        yield 'a quiet section' => [
            static fn (): Section => new Section('jobs', 'Jobs', [], Tone::Quiet),
            ["'jobs'", 'Quiet'],
        ];
        yield 'a short row' => [
            static fn (): Table => new Table(['a', 'b'], [['1', '2'], ['1']]),
            ['2', '"a, b"', '1', '2'],
        ];
        yield 'nothing to unfold' => [static fn (): Details => new Details('', []), []];

        foreach ([
            'a script' => 'javascript:alert(1)',
            'elsewhere' => '//example.com/',
            'the root' => '/etc/passwd',
        ] as $name => $link) {
            yield "a link to {$name}" => [static fn (): Cell => new Cell('a', link: $link), InvalidPage::link($link)];
        }

        yield 'a chart without a title' => [
            static fn (): BarChart => new BarChart('jobs', '', '', [], Unit::Count, []),
            ["'jobs'"],
        ];
        yield 'a line of no number' => [
            static fn (): Line => new Line('redis', [[0, 1], [1, NAN]]),
            ["'redis'", 'NAN'],
        ];
        yield 'a line without an end' => [static fn (): Line => new Line('redis', [[INF, 1]]), ["'redis', x", 'INF']];
        yield 'a line that goes back' => [
            static fn (): Line => new Line('redis', [[2, 1], [1, 1]]),
            ["'redis', x", '1', '2'],
        ];
        yield 'a line without a name' => [static fn (): Line => new Line('', []), []];
        yield 'a colour that is not there' => [
            static fn (): Line => new Line('redis', [], color: 9), InvalidPage::color(9),
        ];
        yield 'a band that ends before it begins' => [
            static fn (): PlotBand => new PlotBand(2, 1, '100'),
            ["'100'", '1', '2'],
        ];
        yield 'a mark nowhere' => [static fn (): Marker => new Marker(NAN, 'errors'), ["'errors'", 'NAN']];
        yield 'a logarithm of a value below 0' => [
            static fn (): LineChart => new LineChart(
                'jobs',
                'Jobs',
                '',
                Unit::Seconds,
                Unit::Change,
                [new Line('redis', [[0, -1], [1, 3]])],
                scale: Scale::Log,
            ),
            ["'jobs'", '-1'],
        ];
        yield 'bars without their categories' => [
            static fn (): BarChart
                => new BarChart('jobs', 'Jobs', '', ['a', 'b'], Unit::Count, [new Bars('redis', [1])]),
            ["'redis'", "'jobs'", '1', '2'],
        ];
        yield 'bars of no number' => [static fn (): Bars => new Bars('redis', [null, -INF]), ["'redis'", '-INF']];
        yield 'a box of no number' => [
            static fn (): BoxPlot => BoxPlot::ofSamples('redis', [1, NAN]),
            ["'redis'", 'NAN'],
        ];
        yield 'a box upside down' => [
            static fn (): BoxPlot => BoxPlot::ofFive('redis', 1, 2, 3, 2.5, 4),
            ["'redis'", '2.5', '3'],
        ];
        yield 'a box that is missing without a reason' => [
            static fn (): BoxPlot => BoxPlot::missing('redis', ''),
            ["'redis'"],
        ];
        yield 'a reference without a label' => [static fn (): Reference => new Reference(1, ''), []];
        yield 'a range upside down' => [
            static fn (): QuartileRange => new QuartileRange('all', [3, 2, 1], '2 %'),
            ["'all'", '2', '3'],
        ];
        yield 'a floor below 0' => [
            static fn (): RangeChart => new RangeChart('cpu', 'CPU', '', Unit::Change, [], -1),
            ["'cpu'", '-1', '0'],
        ];
    }

    #[Test]
    public function each_mistake_has_its_sentence(): void
    {
        $messages = [];

        foreach (self::mistakes() as $name => [$made]) {
            try {
                $made();
            } catch (InvalidPage $e) {
                $messages[] = "{$name}: {$e->getMessage()}";
            }
        }

        Snapshot::assertPrinted('report page', 'mistakes of its maker', implode("\n", $messages));
    }

    #[Test]
    public function links_to_this_page_and_to_files_beside_it_are_taken(): void
    {
        foreach ([
            '', '#rates', 'queues.html', 'queues.html#redis', '../results/queues.json', 'results/preload.html',
        ] as $link) {
            self::assertSame($link, (new Cell('text', link: $link))->link);
        }
    }

    #[Test]
    public function a_quoted_text_in_an_error_is_one_line(): void
    {
        self::assertStringNotContainsString("\n", InvalidPage::blank("title\n")->getMessage());
        self::assertStringContainsString('\xFF', InvalidPage::id("\xFF")->getMessage());
    }
}
