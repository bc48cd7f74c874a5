<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Preload\Report;

use Headroom\Benchmarks\Html;
use Headroom\Benchmarks\Preload\Releases;
use Headroom\Benchmarks\Preload\Summary;
use Headroom\Preload\Strategy;

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

    public function __construct(private ResultsFile $results) {}

    public function draw(): Html
    {
        $pages = array_map(static fn (string $page): string => 'CPU, '.preg_replace('/^GET /', '', $page), $this->results->pages());

        return Html::element('section', ['id' => 'article'],
            Html::element('h2', [], "The article's table, made once more"),
            Grid::cards(['here', 'the article', 'requests/s to plain', ...$pages], array_map($this->row(...), array_keys(self::ARTICLE))),
            Html::element('ul', [],
                Html::element('li', [], 'The article: ', Html::element('code', [], 'ab -n 100 -c 5'), ' once for each list, one after the other, in a container beside more than 20 others and with Xdebug; requests/s, milliseconds, and its ratio to no preloading. It gives no spread. Its application is not here, so only ratios can be compared.'),
                Html::element('li', [], 'Requests/s: against plain, which is ', Html::element('code', [], 'composer dump-autoload'), ' (the article does not say which autoloader it had), in bursts by turns; at the page that gains least. The lists are preloaded into ', Html::element('code', [], Releases::AUTHORITATIVE), ': what that gains without any list is in its own row.'),
                Html::element('li', [], "CPU: of the worker, per request, against {$this->results->base()->name} without preloading. Small below a figure: the quartiles of the rounds. None seen: the rounds do not agree, or two pools of the very same thing are as far apart."),
                Html::element('li', [], 'hot stands beside the hot files of the article, and ', Html::element('code', [], Summary::ARTICLE), ' is the list as its tool makes it, which the article mended by hand until PHP started.'),
            ),
        );
    }

    /** @return non-empty-list<Html|string> */
    private function row(string $name): array
    {
        $measured = $this->results->variant($name);
        $cells = [$name, self::article(self::ARTICLE[$name])];

        if ($measured === null) {
            return [...$cells, ...array_fill(0, 1 + count($this->results->pages()), 'not measured')];
        }

        return [...$cells, $this->rate($measured), ...array_map(fn (Cost $cost): Html => $this->cost($measured, $cost), array_values($measured->costs))];
    }

    /** @param ?array{string, float, int} $row */
    private static function article(?array $row): Html
    {
        return $row === null ? Html::together('–') : Grid::figure($row[0], sprintf("%.2f/s, %d\u{a0}ms%s", $row[1], $row[2], $row[1] === self::WITHOUT ? '' : sprintf(", %.2f\u{a0}×", $row[1] / self::WITHOUT)));
    }

    private function rate(Measured $measured): Html
    {
        return match (true) {
            $measured->name === Releases::PLAIN => Html::together("1\u{a0}×"),
            $measured->rate === null => Html::together('not measured'),
            default => Grid::figure($measured->rate->times(), $measured->rate->timesQuartiles()),
        };
    }

    private function cost(Measured $measured, Cost $cost): Html
    {
        return $measured === $this->results->base() ? Html::together(sprintf("%.2f\u{a0}ms", $cost->micros / 1_000)) : Grid::figure($cost->words(), $cost->quartiles());
    }
}
