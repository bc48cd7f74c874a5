<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Preload\Report;

use Headroom\Benchmarks\Preload\Releases;
use Headroom\Benchmarks\Preload\Summary;
use Headroom\Preload\Strategy;
use Headroom\Report\Page\BarChart;
use Headroom\Report\Page\Bars;
use Headroom\Report\Page\BulletList;
use Headroom\Report\Page\Cell;
use Headroom\Report\Page\Section;
use Headroom\Report\Page\Table;
use Headroom\Report\Page\Tone;
use Headroom\Report\Page\Unit;

/**
 * The article's table with ours beside it.
 */
final readonly class ArticleTable
{
    /** Requests per second and milliseconds per request, as the article gives them. */
    private const ARTICLE = [
        Releases::PLAIN => ['No preload', 21.78, 229],
        Releases::OPTIMIZED => null,
        Releases::AUTHORITATIVE => null,
        Strategy::Laravel->value => ['Naive preload', 25.03, 199],
        Strategy::Refined->value => ['Refined preload', 25.22, 198],
        Strategy::Vendors->value => ['Refined preload + vendors', 26.54, 188],
        Strategy::Hot->value => ['Hot files preload', 25.16, 198],
        Strategy::HotLaravel->value => ['Hot files Laravel preload', 25.03, 199],
        Summary::ARTICLE => null,
    ];

    private const WITHOUT = 21.78;

    private const GREY = 8;

    public function __construct(private ResultsFile $results) {}

    public function section(): Section
    {
        $pages = array_map(
            static fn (string $page): string => 'CPU, '.preg_replace('/^GET /', '', $page),
            $this->results->pages(),
        );

        return new Section('article', "The article's table, made once more", [
            new Table(
                ['here', 'the article', 'requests/s to plain', ...$pages],
                array_map($this->row(...), array_keys(self::ARTICLE)),
            ),
            $this->rates(),
            new BulletList([
                'The article: `ab -n 100 -c 5` once for each list, one after the other, in a container beside more than'
                    .' 20 others and with Xdebug; requests/s, milliseconds, and its ratio to no preloading.'
                    .' It gives no spread. Its application is not here, so only ratios can be compared.',
                'Requests/s: against plain, which is `composer dump-autoload` (the article does not say which'
                    .' autoloader it had), in bursts by turns; at the page that gains least.'
                    .' The lists are preloaded into `'
                    .Releases::AUTHORITATIVE.'`: what that gains without any list is in its own row.',
                "CPU: of the worker, per request, against {$this->results->base()->name} without preloading."
                    .' Small below a figure: the quartiles of the rounds. None seen: the rounds do not agree,'
                    .' or two pools of the very same thing are as far apart.',
                'hot stands beside the hot files of the article, and `'.Summary::ARTICLE
                    .'` is the list as its tool makes it, which the article mended by hand until PHP started.',
            ]),
        ]);
    }

    /** @return non-empty-list<string|Cell> */
    private function row(string $name): array
    {
        $measured = $this->results->variant($name);
        $cells = [$name, self::article(self::ARTICLE[$name])];

        if ($measured === null) {
            return [
                ...$cells,
                ...array_fill(0, 1 + count($this->results->pages()), new Cell('not measured', tone: Tone::Quiet)),
            ];
        }

        return [
            ...$cells,
            $this->rate($measured),
            ...array_map(fn (Cost $cost): Cell => $this->cost($measured, $cost), array_values($measured->costs)),
        ];
    }

    /** @param ?array{string, float, int} $row */
    private static function article(?array $row): Cell
    {
        return $row === null
            ? new Cell('–', tone: Tone::Quiet)
            : new Cell(
                $row[0],
                sprintf(
                    '%.2f/s, %d ms%s',
                    $row[1],
                    $row[2],
                    $row[1] === self::WITHOUT ? '' : ', '.Unit::Times->words($row[1] / self::WITHOUT),
                ),
            );
    }

    private function rate(Measured $measured): Cell
    {
        return match (true) {
            $measured->name === Releases::PLAIN => new Cell(Unit::Times->words(1)),
            $measured->rate === null => new Cell('not measured', tone: Tone::Quiet),
            default => new Cell(
                $measured->rate->times(),
                $measured->rate->timesQuartiles(),
                self::tone($measured->rate),
            ),
        };
    }

    private function cost(Measured $measured, Cost $cost): Cell
    {
        return $measured === $this->results->base()
            ? new Cell(Unit::Micros->words($cost->micros))
            : new Cell($cost->words(), $cost->quartiles(), $cost->isChanged ? Tone::Quiet : self::tone($cost->ratio));
    }

    private static function tone(Ratio $ratio): Tone
    {
        return $ratio->isSeen ? Tone::Plain : Tone::Quiet;
    }

    private function rates(): BarChart
    {
        $names = array_keys(self::ARTICLE);

        return new BarChart(
            'rates',
            'Requests per second, as a ratio',
            'Here against plain, in the article against no preloading: of other servers and of another application.'
                .' No bar: the article has no such row, or no difference was seen here.',
            $names,
            Unit::Times,
            [
                new Bars('here', array_map($this->times(...), $names)),
                new Bars(
                    'the article',
                    array_map(
                        static fn (?array $row): ?float => $row === null ? null : $row[1] / self::WITHOUT,
                        array_values(self::ARTICLE),
                    ),
                    self::GREY,
                ),
            ],
            isHorizontal: true,
        );
    }

    private function times(string $name): int|float|null
    {
        $rate = $this->results->variant($name)?->rate;

        return match (true) {
            $rate === null => null,
            $name === Releases::PLAIN => 1,
            default => $rate->isSeen ? $rate->median : null,
        };
    }
}
