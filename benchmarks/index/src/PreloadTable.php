<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Index;

use Headroom\Bench\Results\Piece;
use Headroom\Report\Page\BarChart;
use Headroom\Report\Page\Bars;
use Headroom\Report\Page\Cell;
use Headroom\Report\Page\Table;
use Headroom\Report\Page\Tone;
use Headroom\Report\Page\Unit;

/**
 * The article's tables with ours beside them.
 */
final readonly class PreloadTable
{
    /** How long the short form takes, for the closing. */
    public const QUICK = 'two to three minutes';

    private const PLAIN = 'plain';

    /** By the name that a list has here: name, requests per second and milliseconds in the article. */
    private const ARTICLE = [
        self::PLAIN => ['No preload', 21.78, 229],
        'laravel' => ['Naive preload (#1)', 25.03, 199],
        'refined' => ['Refined preload (#2)', 25.22, 198],
        'vendors' => ['Refined preload + vendors (#3)', 26.54, 188],
        'hot' => ['Hot files preload (#4)', 25.16, 198],
        'hot-laravel' => ['Hot files Laravel preload (#5)', 25.03, 199],
    ];

    /** What only we have. */
    private const OURS = [
        '-o' => 'none, optimised autoloader',
        '-o -a' => 'none, authoritative autoloader',
        'article' => "as the article's tool makes it, not mended",
    ];

    /** On the article's staging servers. */
    private const STAGING = [['Staging: no preload', 12.22, 409, ''], ['Staging: preload', 13.51, 370, '1.11x']];

    public function __construct(private Experiment $experiment) {}

    public function finding(string $variant): ?Piece
    {
        return $this->experiment->part('strategies')?->figures->row('findings', 'variant', $variant);
    }

    public function grid(): Table
    {
        $rows = [];

        foreach (self::ARTICLE as $variant => [$name, $rate, $millis]) {
            $rows[] = [
                $name,
                number_format($rate, 2),
                "{$millis} ms",
                $variant === self::PLAIN
                    ? Unit::Times->words(1)
                    : Unit::Times->words($rate / self::ARTICLE[self::PLAIN][1]),
                ...$this->ours($variant),
            ];
        }

        foreach (self::STAGING as [$name, $rate, $millis, $ratio]) {
            $rows[] = [
                $name,
                number_format($rate, 2),
                "{$millis} ms",
                $ratio,
                ...Missing::cells(Missing::never('no such servers here'), 5),
            ];
        }

        foreach (self::OURS as $variant => $name) {
            $rows[] = [new Cell($name, 'only here'), '–', '–', '–', ...$this->ours($variant)];
        }

        return new Table(
            [
                'list', 'article: requests/s', 'article: time', 'article: ratio', 'here: list', 'here: JSON page',
                'here: Blade page', 'here: files', 'here: pages broken',
            ],
            $rows,
        );
    }

    public function chart(): BarChart
    {
        $ours = array_map(
            fn (string $variant): ?float
                => $variant === self::PLAIN ? 1.0 : $this->finding($variant)?->number('rps_ratio_to_plain'),
            array_keys(self::ARTICLE),
        );

        return new BarChart(
            'preload-ratios',
            'Requests per second, to none preloaded',
            'Ours is that of the page that gains least, with an authoritative autoloader, against a plain one.',
            array_column(self::ARTICLE, 0),
            Unit::Times,
            [
                new Bars(
                    'the article, another machine',
                    array_map(
                        static fn (array $row): float => $row[1] / self::ARTICLE[self::PLAIN][1],
                        array_values(self::ARTICLE),
                    ),
                ),
                new Bars('here', $ours),
            ],
            isHorizontal: true,
        );
    }

    /** @return list<string|Cell> */
    private function ours(string $variant): array
    {
        $finding = $this->finding($variant);

        if ($finding === null) {
            return Missing::cells(Missing::cell($this->experiment->command()), 5);
        }

        $changed = count($finding->lines('pages_changed'));

        return [
            $variant,
            self::rate($finding, 'GET /pages/json', $variant === self::PLAIN),
            self::rate($finding, 'GET /pages/blade', $variant === self::PLAIN),
            Unit::Count->words($finding->number('files')),
            new Cell((string) $changed, '', $changed > 0 ? Tone::Alert : Tone::Plain),
        ];
    }

    private static function rate(Piece $finding, string $page, bool $isPlain): Cell
    {
        $perSecond = Unit::PerSecond->words($finding->at('rates', $page, 'per_second')->number('median'));

        if ($isPlain) {
            return new Cell(Unit::Times->words(1), $perSecond);
        }

        $paired = $finding->at('rates_to_plain', $page);
        $quartiles = Unit::Times->words($paired->number('p25')).' to '.Unit::Times->words($paired->number('p75'));

        return new Cell(
            $paired->isTrue('seen') ? Unit::Times->words($paired->number('ratio')) : 'no difference seen',
            "{$quartiles}; {$perSecond}",
        );
    }
}
