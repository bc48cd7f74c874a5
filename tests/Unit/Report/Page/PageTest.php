<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Report\Page;

use Closure;
use Headroom\Report\Page\Band;
use Headroom\Report\Page\BarChart;
use Headroom\Report\Page\Bars;
use Headroom\Report\Page\Box;
use Headroom\Report\Page\Bullets;
use Headroom\Report\Page\Cell;
use Headroom\Report\Page\Code;
use Headroom\Report\Page\Details;
use Headroom\Report\Page\Facts;
use Headroom\Report\Page\Grid;
use Headroom\Report\Page\InvalidPage;
use Headroom\Report\Page\Line;
use Headroom\Report\Page\LineChart;
use Headroom\Report\Page\Mark;
use Headroom\Report\Page\Page;
use Headroom\Report\Page\Range;
use Headroom\Report\Page\RangeChart;
use Headroom\Report\Page\Reference;
use Headroom\Report\Page\Scale;
use Headroom\Report\Page\Section;
use Headroom\Report\Page\Side;
use Headroom\Report\Page\Tone;
use Headroom\Report\Page\Unit;
use Headroom\Report\Page\Words;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class PageTest extends TestCase
{
    #[Test]
    public function a_page_is_what_its_sections_and_their_blocks_are(): void
    {
        $page = new Page('Title', 'What it is', [new Section('one', 'One', [
            Words::lead('First'), Words::note('Small'), new Words('Bad', Tone::Alert), new Bullets(['a', 'b']), new Facts([['jobs', '10']], true),
            new Grid(['driver', 'jobs/s'], [['redis', new Cell('5', 'note', Tone::Good, '#one')]], 'Caption'), new Code('make'), new Details('More', [new Words('Inside')]), new Side([new Words('Beside')]),
        ], Tone::Good)]);

        self::assertSame(['kind' => 'page', 'what' => 'What it is', 'sections' => [['id' => 'one', 'title' => 'One', 'tone' => 'good', 'blocks' => [
            ['kind' => 'words', 'text' => 'First', 'weight' => 'lead', 'tone' => 'plain'],
            ['kind' => 'words', 'text' => 'Small', 'weight' => 'note', 'tone' => 'quiet'],
            ['kind' => 'words', 'text' => 'Bad', 'weight' => 'plain', 'tone' => 'alert'],
            ['kind' => 'bullets', 'items' => ['a', 'b']],
            ['kind' => 'facts', 'facts' => [['jobs', '10']], 'small' => true],
            ['kind' => 'grid', 'headings' => ['driver', 'jobs/s'], 'rows' => [['redis', ['text' => '5', 'note' => 'note', 'tone' => 'good', 'link' => '#one']]], 'caption' => 'Caption'],
            ['kind' => 'code', 'text' => 'make'],
            ['kind' => 'details', 'summary' => 'More', 'blocks' => [['kind' => 'words', 'text' => 'Inside', 'weight' => 'plain', 'tone' => 'plain']]],
            ['kind' => 'side', 'blocks' => [['kind' => 'words', 'text' => 'Beside', 'weight' => 'plain', 'tone' => 'plain']]],
        ]]]], $page->toArray());
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
        new Page('Title', '', [new Section('one', 'One', [new Details('More', [new Side([$chart])])]), new Section('bars', 'Two', [])]);
    }

    /** @param Closure(): mixed $made */
    #[Test]
    #[DataProvider('mistakes')]
    public function a_mistake_is_told_where_it_is_made(Closure $made, string $told): void
    {
        $this->expectException(InvalidPage::class);
        $this->expectExceptionMessage($told);
        $made();
    }

    /** @return iterable<string, array{Closure(): mixed, string}> */
    public static function mistakes(): iterable
    {
        yield 'no title' => [static fn (): Page => new Page(' ', '', []), 'The title of the page is empty.'];
        yield 'an id with a capital' => [static fn (): Section => new Section('Jobs', 'Jobs', []), "The id 'Jobs' has other characters than a to z, 0 to 9 and -"];
        yield 'an id with a newline' => [static fn (): Section => new Section("jobs\n", 'Jobs', []), "The id 'jobs\\n' has other characters"];
        yield 'a section without a title' => [static fn (): Section => new Section('jobs', '', []), "The title of the section 'jobs' is empty."];
        yield 'a quiet section' => [static fn (): Section => new Section('jobs', 'Jobs', [], Tone::Quiet), "The tone of the section 'jobs' is Quiet"];
        yield 'a short row' => [static fn (): Grid => new Grid(['a', 'b'], [['1', '2'], ['1']]), 'The row 2 of the table "a, b" has 1 values, where 2 are needed.'];
        yield 'nothing to unfold' => [static fn (): Details => new Details('', []), 'The summary of what is folded away is empty.'];
        yield 'a script for a link' => [static fn (): Cell => new Cell('a', link: 'javascript:alert(1)'), "The link 'javascript:alert(1)' leads away."];
        yield 'a link to elsewhere' => [static fn (): Cell => new Cell('a', link: '//example.com/'), "The link '//example.com/' leads away."];
        yield 'a link to the root' => [static fn (): Cell => new Cell('a', link: '/etc/passwd'), "The link '/etc/passwd' leads away."];
        yield 'a chart without a title' => [static fn (): BarChart => new BarChart('jobs', '', '', [], Unit::Count, []), "The title of the chart 'jobs' is empty."];
        yield 'a line of no number' => [static fn (): Line => new Line('redis', [[0, 1], [1, NAN]]), "A value of the line 'redis' is NAN. Values are finite numbers"];
        yield 'a line without an end' => [static fn (): Line => new Line('redis', [[INF, 1]]), "A value of the line 'redis', x is INF."];
        yield 'a line that goes back' => [static fn (): Line => new Line('redis', [[2, 1], [1, 1]]), "In the line 'redis', x 1 stands after 2."];
        yield 'a line without a name' => [static fn (): Line => new Line('', []), 'The name of a line is empty.'];
        yield 'a colour that is not there' => [static fn (): Line => new Line('redis', [], color: 9), 'There is no colour 9. There are 0 to 7, and 8'];
        yield 'a band that ends before it begins' => [static fn (): Band => new Band(2, 1, '100'), "In the band '100' 1 stands after 2."];
        yield 'a mark nowhere' => [static fn (): Mark => new Mark(NAN, 'errors'), "A value of the mark 'errors' is NAN."];
        yield 'a logarithm of what is below 0' => [static fn (): LineChart => new LineChart('jobs', 'Jobs', '', Unit::Seconds, Unit::Change, [new Line('redis', [[0, -1], [1, 3]])], scale: Scale::Log), "A value of the chart 'jobs' is -1. A logarithmic axis begins above 0"];
        yield 'bars without their categories' => [static fn (): BarChart => new BarChart('jobs', 'Jobs', '', ['a', 'b'], Unit::Count, [new Bars('redis', [1])]), "The bars 'redis' of the chart 'jobs' has 1 values, where 2 are needed."];
        yield 'bars of no number' => [static fn (): Bars => new Bars('redis', [null, -INF]), "A value of the bars 'redis' is -INF."];
        yield 'a box of no number' => [static fn (): Box => Box::ofSamples('redis', [1, NAN]), "A value of the box 'redis' is NAN."];
        yield 'a box upside down' => [static fn (): Box => Box::ofFive('redis', 1, 2, 3, 2.5, 4), "In the box 'redis' 2.5 stands after 3."];
        yield 'a box that is missing without a reason' => [static fn (): Box => Box::missing('redis', ''), "The reason of the missing box 'redis' is empty."];
        yield 'a reference of nobody' => [static fn (): Reference => new Reference(1, ''), 'The label of a reference is empty.'];
        yield 'a range upside down' => [static fn (): Range => new Range('all', [3, 2, 1], '2 %'), "In the range 'all' 2 stands after 3."];
        yield 'a floor below 0' => [static fn (): RangeChart => new RangeChart('cpu', 'CPU', '', Unit::Change, [], -1), "In the floor of the chart 'cpu' -1 stands after 0."];
    }

    #[Test]
    public function links_to_this_page_and_to_files_beside_it_are_taken(): void
    {
        foreach (['', '#rates', 'queues.html', 'queues.html#redis', '../results/queues.json', 'results/preload.html'] as $link) {
            self::assertSame($link, (new Cell('text', link: $link))->link);
        }
    }

    #[Test]
    public function what_an_error_quotes_is_one_line_of_text(): void
    {
        self::assertStringNotContainsString("\n", InvalidPage::blank("title\n")->getMessage());
        self::assertStringContainsString('\xFF', InvalidPage::id("\xFF")->getMessage());
    }
}
