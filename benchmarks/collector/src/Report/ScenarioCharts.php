<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Collector\Report;

use Closure;
use Headroom\Benchmarks\Chart\Axis;
use Headroom\Benchmarks\Chart\Band;
use Headroom\Benchmarks\Chart\LineChart;
use Headroom\Benchmarks\Chart\Marker;
use Headroom\Benchmarks\Chart\Point;
use Headroom\Benchmarks\Chart\Series;
use Headroom\Benchmarks\Html;
use Headroom\Report\Format;

/**
 * One scenario: requests/s and response time of both stacks over time, each as a chart and as a table.
 */
final readonly class ScenarioCharts
{
    private const STACKS = ['x' => 'stack X', 'a' => 'stack A'];

    /** @param array<'x'|'a', list<Step>> $steps by stack */
    public function __construct(private Scenario $scenario, private array $steps) {}

    public function draw(): Html
    {
        return Html::element('section', ['id' => $this->scenario->value],
            Html::element('h2', [], $this->scenario->title()),
            Html::element('p', [], $this->scenario->words()),
            ...$this->missing(),
            ...($this->steps['x'] === [] && $this->steps['a'] === [] ? [] : [
                Html::element('p', ['class' => 'lead'], $this->atTheEnd()),
                Html::element('div', ['class' => 'pair'], $this->rates(), $this->times()),
            ]),
        );
    }

    /** @return list<Html> */
    private function missing(): array
    {
        $missing = array_keys(array_filter($this->steps, static fn (array $steps): bool => $steps === []));

        return $missing === [] ? [] : [Html::element('p', ['class' => 'missing'], 'Not measured: '.implode(' and ', array_map(static fn (string $stack): string => self::STACKS[$stack], $missing)).'. PART=figures make bench-collector measures it; it needs an OpenSearch.')];
    }

    private function atTheEnd(): string
    {
        $words = [];

        foreach ($this->steps as $stack => $steps) {
            $last = $steps === [] ? null : $steps[count($steps) - 1];

            if ($last !== null) {
                $millis = $last->millis['p50'];
                $words[] = sprintf('%s %s requests/s, %s, %s', self::STACKS[$stack], number_format($last->answers), $millis === null ? 'hardly an answer' : 'half of them within '.Unit::Millis->words($millis), $last->errors === 0 ? 'no errors' : number_format($last->errors).' errors');
                $users = $last->users;
            }
        }

        return 'At '.number_format($users ?? 0).' users: '.implode('; ', $words).'.';
    }

    private function rates(): Html
    {
        $series = array_map(fn (string $stack): Series => $this->series($stack, self::STACKS[$stack], static fn (Step $step): float => $step->answers, static fn (float $value): string => number_format($value).' requests/s'), array_keys(self::STACKS));
        $axis = Axis::linear(array_merge(...array_map(static fn (Series $one): array => $one->values(), $series)));

        return $this->figure('Requests/s', $series, $axis, number_format(...), $this->table(
            ['requests/s' => static fn (Step $step): string => number_format($step->answers, $step->answers < 100 ? 1 : 0), 'errors' => static fn (Step $step): string => number_format($step->errors)],
        ));
    }

    private function times(): Html
    {
        $series = [];

        foreach (array_keys(self::STACKS) as $stack) {
            foreach (['p50' => false, 'p95' => true] as $percentile => $isSecond) {
                $series[] = $this->series($stack, self::STACKS[$stack].", {$percentile}", static fn (Step $step): ?float => $step->millis[$percentile], Unit::Millis->words(...), $isSecond);
            }
        }

        $axis = Axis::fitting(array_merge(...array_map(static fn (Series $one): array => $one->values(), $series)));

        return $this->figure('Response time', $series, $axis, static fn (float $millis): string => $millis >= 1000 ? ($millis / 1000).' s' : "{$millis} ms", $this->table(array_map(
            static fn (string $percentile): Closure => static fn (Step $step): string => $step->millis[$percentile] === null ? '–' : Format::millis(1000 * $step->millis[$percentile]),
            ['p50' => 'p50', 'p95' => 'p95', 'p99' => 'p99'],
        ), ', ms'));
    }

    /**
     * @param Closure(Step): ?float $value
     * @param Closure(float): string $words
     */
    private function series(string $stack, string $name, Closure $value, Closure $words, bool $isSecond = false): Series
    {
        $start = 0.0;
        $points = [];

        foreach ($this->steps[$stack] as $step) {
            $is = $value($step);
            $points[] = new Point($start + $step->seconds / 2, $is, "{$name}, ".number_format($step->users).' users: '.($is === null ? 'none' : $words($is)).($step->errors === 0 ? '' : ', '.number_format($step->errors).' errors'), $step->errors > 0);
            $start += $step->seconds;
        }

        return new Series($name, $stack, $stack === 'x' ? Marker::Circle : Marker::Square, $points, $isSecond);
    }

    /**
     * @param list<Series> $series
     * @param Closure(float): string $words
     */
    private function figure(string $title, array $series, Axis $axis, Closure $words, Html $table): Html
    {
        $id = $this->scenario->value.'-'.strtolower(strtr($title, ['/' => '-', ' ' => '-']));
        $chart = new LineChart($id, $title, "{$title} of both stacks over time, step by step of users. The table below has the numbers.", 'users', $this->bands(), $series, $axis, $words);

        return Html::element('figure', ['id' => $id], Html::element('figcaption', [], $title.($axis->isLogarithmic ? ', logarithmic scale' : '')), $chart->legend(), $chart->draw(), $table);
    }

    /** @return list<Band> the steps, which are the same for both stacks */
    private function bands(): array
    {
        $start = 0.0;
        $bands = [];

        foreach ($this->steps['x'] ?: $this->steps['a'] as $step) {
            $bands[] = new Band($start, $start += $step->seconds, number_format($step->users));
        }

        return $bands;
    }

    /** @param array<string, Closure(Step): string> $columns by heading, of each stack */
    private function table(array $columns, string $unit = ''): Html
    {
        $heading = static fn (string $text, array $attributes): Html => Html::element('th', $attributes, $text);
        $rows = [];

        foreach ($this->steps['x'] ?: $this->steps['a'] as $n => $one) {
            $cells = [];

            foreach ($this->steps as $steps) {
                foreach ($columns as $column) {
                    $cells[] = Html::element('td', [], isset($steps[$n]) ? $column($steps[$n]) : '–');
                }
            }

            $rows[] = Html::element('tr', [], $heading(number_format($one->users), ['scope' => 'row']), ...$cells);
        }

        $names = array_map(static fn (string $name): Html => $heading($name, ['scope' => 'col']), [...array_keys($columns), ...array_keys($columns)]);

        return Html::element('table', ['class' => 'numbers'],
            Html::element('thead', [],
                Html::element('tr', [], $heading('users', ['scope' => 'col', 'rowspan' => 2]), ...array_map(static fn (string $stack): Html => $heading(self::STACKS[$stack].$unit, ['scope' => 'colgroup', 'colspan' => count($columns)]), array_keys($this->steps))),
                Html::element('tr', [], ...$names),
            ),
            Html::element('tbody', [], ...$rows),
        );
    }
}
